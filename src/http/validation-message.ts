/** Describes a schema violation in words: the field, the rule and the allowed values. Pure. */
import { ruleOf } from '#platform/values.ts'
import { WRONG_CHECKSUM } from './address-check.ts'

/** The fields of an Ajv error in use. Ajv sets `parentSchema` because it runs with `verbose`. */
type Violation = {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
  parentSchema?: unknown
}

type Rules = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  properties?: object
}

const NAME_MAX = 64

const places: Record<string, string> = {
  querystring: ' in the query',
  params: ' in the path',
  headers: ' in the headers',
}

/** The field as a path: `keys.auth`, `wallets[0].address`. */
const nameOf = (instancePath: string, property?: unknown): string =>
  [...instancePath.split('/').slice(1), ...(typeof property === 'string' ? [property] : [])]
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, NAME_MAX))
    .reduce((path, part) => {
      if (/^[0-9]+$/.test(part)) return `${path}[${part}]`
      return path === '' ? part : `${path}.${part}`
    }, '')

export function messageOf(violation: object, context = 'body'): string {
  const { keyword, instancePath, params, parentSchema } = violation as Violation
  const rules = (parentSchema ?? {}) as Rules
  const place = places[context] ?? ''
  const field = (property?: unknown) => {
    const name = nameOf(instancePath, property)
    return name === '' ? 'The body' : `\`${name}\`${place}`
  }
  if (keyword === 'required') return `${field(params.missingProperty)} is required.`
  if (keyword === 'additionalProperties') {
    const allowed = Object.keys(rules.properties ?? {}).join(', ')
    return `${field(params.additionalProperty)} is not a known field. The fields are ${allowed}.`
  }
  if (keyword === 'eip55') return `${field()} ${WRONG_CHECKSUM}.`
  return `${field()} must ${ruleIn(keyword, rules)}.`
}

function ruleIn(keyword: string, rules: Rules): string {
  switch (keyword) {
    case 'type':
      return `be ${[rules.type ?? []].flat().map(typeInWords).join(' or ')}`
    case 'enum':
      return `be one of ${(rules.enum ?? []).map(String).join(', ')}`
    case 'const':
      return `be ${JSON.stringify(rules.const)}`
    case 'pattern':
      return `be ${ruleOf(rules.pattern ?? '') ?? 'in the format that the OpenAPI document gives'}`
    case 'minLength':
    case 'maxLength':
      return `have ${range(rules.minLength, rules.maxLength)} characters`
    case 'minimum':
    case 'maximum':
      return `be ${range(rules.minimum, rules.maximum)}`
    case 'minItems':
    case 'maxItems':
      return `have ${range(rules.minItems, rules.maxItems)} entries`
    case 'wellFormed':
      return 'be well-formed Unicode, without lone surrogates'
    default:
      return 'match the schema in the OpenAPI document'
  }
}

const types: Record<string, string> = {
  object: 'a JSON object',
  array: 'a list',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
}
const typeInWords = (type: string): string => types[type] ?? type

function range(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return `at least ${min}`
  if (min === undefined) return `at most ${max}`
  return min === max ? String(min) : `from ${min} to ${max}`
}
