/**
 * JSON Schemas with the types of TypeBox. The functions are our own: they build the same plain
 * objects as TypeBox does, whose 680 modules would take a fifth of the time in which a process
 * starts. `schema.test.ts` compares the two.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import type { Static, TSchema, Type as TypeBox } from 'typebox'

export type { Static, TObject, TSchema, TStringOptions } from 'typebox'

type Schema = Record<string, unknown>
type Properties = Record<string, Schema>

/** Not enumerable: a schema that is written out or copied does not have it. */
const OPTIONAL = '~optional'

const plain =
  (type: string) =>
  (options: Schema = {}) => ({ type, ...options })

const asOptional = (schema: Schema): Schema =>
  Object.defineProperty({ ...schema }, OPTIONAL, { value: true })

function objectOf(properties: Properties, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

const omitted = ({ properties }: { properties: Properties }, names: readonly string[]): Schema =>
  objectOf(Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))))

const build = {
  Array: (items: Schema, options: Schema = {}) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Integer: plain('integer'),
  Literal: (value: unknown, options: Schema = {}) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Null: plain('null'),
  Number: plain('number'),
  Object: objectOf,
  Omit: omitted,
  Optional: asOptional,
  Record: (key: { pattern?: string }, value: Schema, options: Schema = {}) => ({
    type: 'object',
    patternProperties: { [key.pattern ?? '^.*$']: value },
    ...options,
  }),
  String: plain('string'),
  Tuple: (items: readonly Schema[], options: Schema = {}) => ({
    type: 'array',
    additionalItems: false,
    items,
    minItems: items.length,
    ...options,
  }),
  Union: (anyOf: readonly Schema[], options: Schema = {}) => ({ anyOf, ...options }),
  Unknown: (options: Schema = {}) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

export const Type = build as unknown as Pick<typeof TypeBox, keyof typeof build>

const ajv = new Ajv({ strict: false, validateFormats: false })
const compiled = new WeakMap<object, ValidateFunction>()

/** Whether an answer from outside has this form. */
export function fits<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): value is Static<Schema> {
  const known = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, known)
  return known(value)
}
