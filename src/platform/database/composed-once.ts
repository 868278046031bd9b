/**
 * A statement whose text is composed once. Joining the pieces of a long one, and hashing the result
 * to find its name, took 4 % of a detail's time in the API process.
 */
import { Sql } from 'sql-template-tag'

/** Each property of `of` is a parameter; `compose` passes it on and must not compute with it. */
export function composedOnce<Input extends object>(
  compose: (of: Input) => Sql,
): (input: Input) => Sql {
  const names = new Proxy({}, { get: (_names, name) => name }) as Input
  const { strings, values } = compose(names)
  const parameters = values as (keyof Input)[]
  return (input) =>
    new Sql(
      strings,
      parameters.map((name) => input[name]),
    )
}
