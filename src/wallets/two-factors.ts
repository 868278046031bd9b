/**
 * Whether an `amr` claim (RFC 8176) proves two factors. Two methods of one kind, such as a password
 * and a PIN, count as one factor: whoever learns one may have learnt the other.
 */
type Kind = 'knowledge' | 'possession' | 'inherence'

/**
 * `webauthn` and `fido` are unregistered, but providers send them. Methods missing here prove no
 * factor: location (`geo`), risk score (`rba`), presence test (`user`), multiple channels (`mca`),
 * Windows authentication (`wia`), and names that only one provider uses.
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

/** `mfa` is the provider's own statement that it checked several factors. */
export function provesTwoFactors(methods: readonly string[]): boolean {
  const proven = methods.map((method) => kinds.get(method)).filter((kind) => kind !== undefined)
  return methods.includes('mfa') || new Set(proven).size >= 2
}
