/** Canonical JSON (RFC 8785), and the hashes and ids that vaults and approvals carry. */
import canonicalize from 'canonicalize'
import { bytesToHex, encodeAbiParameters, type Hex, keccak256, padHex, stringToBytes } from 'viem'

export function canonicalJson(value: unknown): string {
  const json = canonicalize(value)
  if (json === undefined) throw new TypeError('This value has no JSON form')
  return json
}

/** A UUID as the contract sees it: its sixteen bytes, right-aligned in thirty-two. */
export const uuidToBytes32 = (uuid: string): Hex =>
  padHex(`0x${uuid.replaceAll('-', '').toLowerCase()}`, { size: 32 })

/** Salted, so that nobody can tell from the chain which organization a vault belongs to. */
export const organizationHash = ({
  organizationId,
  salt,
}: {
  organizationId: string
  salt: Uint8Array
}): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: 'string' }, { type: 'bytes32' }, { type: 'bytes32' }],
      ['countersign.org.v1', uuidToBytes32(organizationId), bytesToHex(salt)],
    ),
  )

/** Keccak-256 of a value's canonical JSON: what anybody can recompute from what they were shown. */
export const canonicalHash = (value: unknown): Hex => keccak256(stringToBytes(canonicalJson(value)))

export const textHash = (text: string): Hex => keccak256(stringToBytes(text))

/** One expense, one id, for ever: neither vault nor revision is in it. */
export const chainPaymentIdOf = ({
  chainId,
  organizationHash: organization,
  paymentId,
}: {
  chainId: number
  organizationHash: string
  paymentId: string
}): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: 'string' }, { type: 'uint256' }, { type: 'bytes32' }, { type: 'bytes32' }],
      ['countersign.payment.v1', BigInt(chainId), organization as Hex, uuidToBytes32(paymentId)],
    ),
  )
