/** EIP-712 written from the standard with keccak only, as an independent digest. */
import { concatHex, type Hex, keccak256, stringToHex } from 'viem'

type Field = { name: string; type: string }
export type TypedData = {
  domain: Record<string, unknown>
  types: Record<string, Field[]>
  primaryType: string
  message: Record<string, unknown>
}

const hashOfText = (text: string): Hex => keccak256(stringToHex(text))
const word = (hex: string): Hex => `0x${hex.padStart(64, '0')}`

function encodeValue(type: string, value: unknown): Hex {
  if (type === 'string') return hashOfText(String(value))
  if (/^uint\d+$/.test(type)) return word(BigInt(String(value)).toString(16))
  if (type === 'address') return word(String(value).slice(2).toLowerCase())
  if (type === 'bytes32' && /^0x[0-9a-fA-F]{64}$/.test(String(value))) return value as Hex
  throw new Error(`No value of the type ${type}: ${value}`)
}

function hashStruct(name: string, fields: Field[], values: Record<string, unknown>): Hex {
  const signature = fields.map((field) => `${field.type} ${field.name}`).join(',')
  const encoded = fields.map((field) => encodeValue(field.type, values[field.name]))
  return keccak256(concatHex([hashOfText(`${name}(${signature})`), ...encoded]))
}

export function eip712Digest({ domain, types, primaryType, message }: TypedData): Hex {
  const { EIP712Domain: domainFields = [], [primaryType]: fields = [] } = types
  const parts = [
    hashStruct('EIP712Domain', domainFields, domain),
    hashStruct(primaryType, fields, message),
  ]
  return keccak256(concatHex(['0x1901', ...parts]))
}
