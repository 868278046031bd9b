/**
 * Whether somebody proved two factors, by the methods of an `amr` claim (RFC 8176). Two methods of
 * one kind, such as a password and a PIN, are one factor: who learns one may have learnt the other.
 */
type Kind = 'knowledge' | 'possession' | 'inherence'

/**
 * `webauthn` and `fido` are not registered, but providers send them. Methods that are missing here
 * are no factor: a place (`geo`), a risk score (`rba`), a presence test (`user`), several channels
 * (`mca`), Windows' own log-in (`wia`), and names that only one provider knows.
 */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ...(['pwd', 'pin', 'kba'] as const).map((method) => [method, 'knowledge'] as const),
  ...(['otp', 'hwk', 'swk', 'pop', 'sc', 'sms', 'tel', 'webauthn', 'fido'] as const).map(
    (method) => [method, 'possession'] as const,
  ),
  ...(['face', 'fpt', 'iris', 'retina', 'vbm'] as const).map(
    (method) => [method, 'inherence'] as const,
  ),
])

/** `mfa` is the provider's own statement that there were several factors. */
export function provesTwoFactors(methods: readonly string[]): boolean {
  const proven = methods.map((method) => kinds.get(method)).filter((kind) => kind !== undefined)
  return methods.includes('mfa') || new Set(proven).size >= 2
}
