/** The service names the end of an exhausted period in its sentence, and nowhere else. */
const POSSIBLE_FROM = /Possible again from (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\./

/** When the vault can pay again, from a refusal of an exhausted spending period. Null otherwise. */
export const possibleFromOf = ({
  code,
  message,
}: {
  code: string
  message: string
}): string | null =>
  code === 'policy_violation' ? (POSSIBLE_FROM.exec(message)?.[1] ?? null) : null
