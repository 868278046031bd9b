/**
 * Reads a transaction in each form it may come in: serialized in hex, signed or not; as the
 * object of `eth_sendTransaction`; or as the API's vault deployment or policy intent. Pure, and
 * free of Node's modules.
 */
import { type Hex, isAddress, isHex, parseTransaction } from 'viem'
import { type OwnerTransaction, toAddress, UndecodableTransaction } from './owner-call.ts'

/** What the surrounding object of the API states about its own transaction. */
export type Statement = Record<string, unknown>

const refuse = (message: string): never => {
  throw new UndecodableTransaction(message)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Transaction types that only call: not 7702 (delegates the account), not 4844 (blobs). */
const PLAIN = ['legacy', 'eip2930', 'eip1559']

export function parseSerialized(hex: string): OwnerTransaction {
  if (!isHex(hex) || hex.length % 2 !== 0 || hex.length < 4)
    return refuse('It is not hex of whole bytes.')
  const parsed = parse(hex)
  if (!PLAIN.includes(parsed.type ?? '')) {
    refuse(`It is of type ${parsed.type}, which does more than call a contract.`)
  }
  return {
    chainId: parsed.chainId ?? null,
    from: null,
    to: parsed.to ? toAddress(parsed.to) : null,
    data: parsed.data ?? '0x',
    value: parsed.value ?? 0n,
  }
}

function parse(hex: Hex) {
  try {
    return parseTransaction(hex)
  } catch {
    return refuse('It is not a serialized transaction.')
  }
}

/** `statement` is null for a bare transaction, which states nothing about itself. */
export function parseJsonTransaction(value: unknown): {
  transaction: OwnerTransaction
  statement: Statement | null
} {
  if (!isObject(value)) return refuse('It is not an object.')
  if (!('transaction' in value)) return { transaction: fromObject(value), statement: null }
  const { transaction } = value
  if (!isObject(transaction)) return refuse('Its transaction is not an object.')
  return { transaction: fromObject(transaction), statement: value }
}

const HARMLESS = new Set([
  'chainId',
  'from',
  'to',
  'data',
  'input',
  'value',
  'gas',
  'gasLimit',
  'nonce',
  'type',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
])

function fromObject(fields: Record<string, unknown>): OwnerTransaction {
  const strange = Object.keys(fields).find((name) => !HARMLESS.has(name))
  if (strange) refuse(`It has a field ${strange}, which may do more than call a contract.`)
  if ('type' in fields && !['0x0', '0x1', '0x2', ...PLAIN].includes(String(fields.type))) {
    refuse(`It is of type ${fields.type}, which does more than call a contract.`)
  }
  const { data, input } = fields
  if (data !== undefined && input !== undefined && data !== input) {
    refuse('Its data and its input differ.')
  }
  const bytes = data ?? input ?? '0x'
  if (!isHex(bytes) || bytes.length % 2 !== 0) return refuse('Its data is not hex of whole bytes.')
  return {
    chainId: chainIdOf(fields.chainId),
    from: addressOf('from', fields.from ?? null),
    to: addressOf('to', fields.to ?? null),
    data: bytes,
    value: fields.value === undefined ? 0n : quantityOf('value', fields.value),
  }
}

const chainIdOf = (value: unknown): number | null =>
  value === undefined || value === null ? null : Number(quantityOf('chainId', value))

/** A mixed-case address with a wrong checksum is a mistyped one. */
function addressOf(name: string, value: unknown): OwnerTransaction['to'] {
  if (value === null) return null
  const isGood = typeof value === 'string' && (isAddress(value) || /^0x[0-9a-f]{40}$/.test(value))
  return isGood
    ? toAddress(value)
    : refuse(`Its ${name} is not an address or has a wrong checksum.`)
}

function quantityOf(name: string, value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  const isQuantity = typeof value === 'string' && /^(?:0x[0-9a-f]+|\d+)$/i.test(value)
  return isQuantity ? BigInt(value) : refuse(`Its ${name} is not a number.`)
}
