/** Validates a value with the validator that requests use. */
import { type TSchema, Type } from 'typebox'
import { validatorCompiler } from '#http/validators.ts'

/** The schema as a field of a request body. */
export function inBody(schema: TSchema): (value: unknown) => boolean {
  const body = Type.Object({ value: schema }, { additionalProperties: false })
  const validate = validatorCompiler({ schema: body, httpPart: 'body', method: 'POST', url: '/' })
  return (value) => validate({ value }) === true
}

/** The schema as a query parameter: what the handler sees, or `refused`. */
export function inQuery(schema: TSchema): (value: unknown) => unknown {
  const query = Type.Object({ value: schema })
  const validate = validatorCompiler({
    schema: query,
    httpPart: 'querystring',
    method: 'GET',
    url: '/',
  })
  return (value) => {
    const data = { value }
    return validate(data) === true ? data.value : 'refused'
  }
}

/** For `test.each`: one argument per case. */
export const notStrings: [unknown][] = [
  [1],
  [0],
  [1.5],
  [true],
  [false],
  [null],
  [[]],
  [['0']],
  [{}],
  [undefined],
]
