/**
 * An approval as the part of a link after `#`, which browsers never send. Values only: the verifier
 * knows the types, so that a camera reads the code easily and nobody can slip in another type.
 */
import { isEvmAddress } from '@countersign/proof/values.ts'
import { type Address, bytesToHex, getAddress, type Hex, hexToBytes, numberToHex } from 'viem'

/** As `typedDataOf` of `@countersign/proof` makes it: numbers as decimal strings. */
export type LinkedApproval = {
  chainId: number
  vault: Address
  message: Record<MessageField, string>
}

const FIELDS = [
  ['approvalId', 32],
  ['approver', 'address'],
  ['organizationHash', 32],
  ['paymentId', 32],
  ['token', 'address'],
  ['recipient', 'address'],
  ['amount', 'uint256'],
  ['policyVersion', 'uint64'],
  ['reportHash', 32],
  ['expenseVersionHash', 32],
  ['deadline', 'uint64'],
] as const

export type MessageField = (typeof FIELDS)[number][0]
export const MESSAGE_FIELDS: readonly MessageField[] = FIELDS.map(([name]) => name)

const SIZES = { 32: 32, address: 20, uint256: 32, uint64: 8 } as const
const FORMAT = 1
const HEAD = 1 + SIZES.uint64 + SIZES.address
const LENGTH = FIELDS.reduce((sum, [, kind]) => sum + SIZES[kind], HEAD)

const toBase64 = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

function fromBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

const bytesOf = (kind: (typeof FIELDS)[number][1], value: string): Uint8Array =>
  hexToBytes(
    kind === 32 || kind === 'address'
      ? (value as Hex)
      : numberToHex(BigInt(value), { size: SIZES[kind] }),
  )

export function encodeApproval({ chainId, vault, message }: LinkedApproval): string {
  const parts = [
    new Uint8Array([FORMAT]),
    bytesOf('uint64', String(chainId)),
    bytesOf('address', vault),
    ...FIELDS.map(([name, kind]) => bytesOf(kind, message[name])),
  ]
  const bytes = new Uint8Array(LENGTH)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  if (offset !== LENGTH) throw new RangeError('A field of the approval has another length')
  return toBase64(bytes)
}

/** Null for anything that is not exactly one approval. */
export function decodeApproval(text: string): LinkedApproval | null {
  const bytes = fromBase64(text)
  if (!bytes || bytes.length !== LENGTH || bytes[0] !== FORMAT) return null
  let offset = 1
  const take = (kind: keyof typeof SIZES): string => {
    const hex = bytesToHex(bytes.subarray(offset, offset + SIZES[kind]))
    offset += SIZES[kind]
    if (kind === 32) return hex
    return kind === 'address' ? getAddress(hex) : BigInt(hex).toString()
  }
  const chainId = Number(take('uint64'))
  if (!Number.isSafeInteger(chainId)) return null
  const vault = take('address') as Address
  const message = Object.fromEntries(FIELDS.map(([name, kind]) => [name, take(kind)]))
  return { chainId, vault, message: message as LinkedApproval['message'] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isField = (kind: (typeof FIELDS)[number][1], value: unknown): boolean => {
  const text = String(value)
  if (kind === 'address') return isEvmAddress(value)
  if (kind === 32) return /^0x[0-9a-fA-F]{64}$/.test(text)
  // A number of JSON beyond this has lost digits already.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return false
  return /^\d{1,78}$/.test(text) && BigInt(text) < 2n ** BigInt(SIZES[kind] * 8)
}

/** Reads typed data as wallets show it. Null unless it is an approval with these eleven fields. */
export function readTypedData(json: string): LinkedApproval | null {
  try {
    const { domain, message, primaryType } = JSON.parse(json) as Record<string, unknown>
    if (!isObject(domain) || !isObject(message) || primaryType !== 'PaymentApproval') return null
    const { name, version, chainId, verifyingContract } = domain
    if (name !== 'CountersignVault' || version !== '1') return null
    if (!isField('uint64', chainId) || !isField('address', verifyingContract)) return null
    const isComplete = FIELDS.every(([field, kind]) => isField(kind, message[field]))
    if (!isComplete || Object.keys(message).length !== FIELDS.length) return null
    const vault = getAddress(String(verifyingContract).toLowerCase())
    return {
      chainId: Number(chainId),
      vault,
      message: Object.fromEntries(
        FIELDS.map(([field, kind]) => {
          const text = String(message[field])
          return [field, kind === 'address' ? getAddress(text.toLowerCase()) : text]
        }),
      ) as LinkedApproval['message'],
    }
  } catch {
    return null
  }
}
