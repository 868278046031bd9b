/** Canonical JSON (RFC 8785) and the digests taken over it. */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { encodeAbiParameters, type Hex, keccak256, padHex, stringToBytes } from 'viem'

export function canonicalJson(value: unknown): string {
  const json = canonicalize(value)
  if (json === undefined) throw new TypeError('This value has no JSON form')
  return json
}

export const sha256 = (data: string | Uint8Array): Buffer =>
  createHash('sha256').update(data).digest()

/** What an idempotent request asked for: equal for equal validated bodies, whatever their order. */
export const fingerprint = (body: unknown): Buffer => sha256(canonicalJson(body ?? null))

/** The shape of a random UUID (version 4), and always the same one for the same text. */
export function uuidOf(text: string): string {
  const bytes = sha256(text).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
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
      [
        'countersign.org.v1',
        uuidToBytes32(organizationId),
        `0x${Buffer.from(salt).toString('hex')}`,
      ],
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
