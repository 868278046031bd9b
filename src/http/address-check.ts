/**
 * EIP-55 checksum validation of addresses in requests. A mixed-case address must carry a valid
 * checksum; names are never resolved. Address fields are found by their schema pattern, so a new
 * operation is covered as soon as it declares one.
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

/** Returns the path, in Ajv's notation, of the first address with a wrong checksum. */
type Find = (value: unknown, path: string) => string | undefined

const firstOf = (found: readonly (string | undefined)[]) => found.find((path) => path !== undefined)

function findIn({ pattern, properties = {}, items, ...rest }: Schema): Find | undefined {
  if (pattern === ADDRESS_PATTERN) {
    return (value, path) =>
      typeof value !== 'string' || hasRightChecksum(value) ? undefined : path
  }
  const named = Object.entries(properties).flatMap(([name, schema]) => {
    const find = findIn(schema)
    return find ? [[name, find] as const] : []
  })
  const inItems = items && findIn(items)
  const alternatives = [...(rest.anyOf ?? []), ...(rest.oneOf ?? []), ...(rest.allOf ?? [])]
    .map(findIn)
    .filter((find) => find !== undefined)
  if (named.length === 0 && !inItems && alternatives.length === 0) return undefined
  return (value, path) => {
    if (Array.isArray(value)) {
      return firstOf(value.map((item, index) => inItems?.(item, `${path}/${index}`)))
    }
    const fields = typeof value === 'object' && value !== null ? value : {}
    return firstOf([
      ...named.map(([name, find]) => find(Reflect.get(fields, name), `${path}/${name}`)),
      ...alternatives.map((find) => find(value, path)),
    ])
  }
}

export const WRONG_CHECKSUM = 'has a wrong EIP-55 checksum. Copy the address again from its source'

/** Assumes that the value already matches the schema. */
export function checksumCheck(schema: object): (value: unknown) => ErrorObject[] {
  const find = findIn(schema)
  return (value) => {
    const instancePath = find?.(value, '')
    if (instancePath === undefined) return []
    const error = { keyword: 'eip55', schemaPath: '#/eip55', params: {}, message: WRONG_CHECKSUM }
    return [{ ...error, instancePath }]
  }
}
