/**
 * Addresses in requests. One whose letters are of mixed case must have its EIP-55 checksum, and a
 * name is never resolved. Fields are found by the pattern that every address has in the contract,
 * so a new operation is covered as soon as it declares one.
 */
import { ADDRESS_PATTERN, hasRightChecksum } from '@countersign/proof/values.ts'
import type { ErrorObject } from 'ajv'

type Schema = {
  pattern?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

/** The path, in ajv's notation, of an address with a wrong checksum; undefined if none has. */
type Find = (value: unknown, place: string) => string | undefined

const firstOf = (found: readonly (string | undefined)[]) =>
  found.find((place) => place !== undefined)

function findIn({ pattern, properties = {}, items, ...rest }: Schema): Find | undefined {
  if (pattern === ADDRESS_PATTERN) {
    return (value, place) =>
      typeof value !== 'string' || hasRightChecksum(value) ? undefined : place
  }
  const named = Object.entries(properties).flatMap(([name, schema]) => {
    const find = findIn(schema)
    return find ? [[name, find] as const] : []
  })
  const inItems = items && findIn(items)
  const same = [...(rest.anyOf ?? []), ...(rest.oneOf ?? []), ...(rest.allOf ?? [])]
    .map(findIn)
    .filter((find) => find !== undefined)
  if (named.length === 0 && !inItems && same.length === 0) return undefined
  return (value, place) => {
    if (Array.isArray(value)) {
      return firstOf(value.map((item, index) => inItems?.(item, `${place}/${index}`)))
    }
    const fields = typeof value === 'object' && value !== null ? value : {}
    return firstOf([
      ...named.map(([name, find]) => find(Reflect.get(fields, name), `${place}/${name}`)),
      ...same.map((find) => find(value, place)),
    ])
  }
}

export const WRONG_CHECKSUM = 'has a wrong EIP-55 checksum. Copy the address again from its source'

/** For values that match the schema otherwise. */
export function checksumCheck(schema: object): (value: unknown) => ErrorObject[] {
  const find = findIn(schema)
  return (value) => {
    const instancePath = find?.(value, '')
    if (instancePath === undefined) return []
    const error = { keyword: 'eip55', schemaPath: '#/eip55', params: {}, message: WRONG_CHECKSUM }
    return [{ ...error, instancePath }]
  }
}
