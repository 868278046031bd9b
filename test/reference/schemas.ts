/** Checks values against schemas of the OpenAPI document, with references resolved. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)

/** What is wrong with the value; undefined if nothing is. */
export function schemaProblem(schema: object, value: unknown): string | undefined {
  const validate = ajv.compile(schema)
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

export const schemaAccepts = (schema: object, value: unknown): boolean =>
  schemaProblem(schema, value) === undefined
