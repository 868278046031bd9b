/** Request bodies of the Privy emulator: closed, in the formats of its schema. */
import { createPublicKey } from 'node:crypto'
import { isAddress, isHex } from 'viem'

export type Json = Record<string, unknown>
export type Refusal = { status: number; code: string; error: string }

export const refusal = (status: number, error: string, code = 'invalid_data'): Refusal => ({
  ...{ status, error, code },
})

type Check = (value: unknown) => boolean
type Shape = { needs: string[]; fields: Record<string, Check> }

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText =
  (max: number): Check =>
  (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= max
const isOne =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value)
const isId: Check = (value) => typeof value === 'string' && /^[a-z0-9-]{1,64}$/.test(value)
const isList =
  (max: number, each: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= max && value.every(each)
const isQuantity: Check = (value) =>
  (typeof value === 'string' && /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/.test(value)) ||
  (Number.isSafeInteger(value) && Number(value) >= 0)

function isSpkiOfP256(value: unknown): boolean {
  try {
    const der = Buffer.from(String(value), 'base64')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const isWhole = der.length === 91 && der.toString('base64') === value
    return isWhole && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

const fits = ({ needs, fields }: Shape, value: unknown): string[] => {
  if (!isObject(value)) return ['body']
  const wrong = Object.entries(value).filter(([name, part]) => !fields[name]?.(part))
  return [...needs.filter((name) => !(name in value)), ...wrong.map(([name]) => name)]
}
const isShaped =
  (shape: Shape): Check =>
  (value) =>
    fits(shape, value).length === 0

const signer: Shape = {
  needs: ['signer_id'],
  fields: { signer_id: isId, override_policy_ids: isList(1, isId) },
}

const changeable: Shape['fields'] = {
  policy_ids: isList(1, isId),
  owner_id: isId,
  additional_signers: isList(10, isShaped(signer)),
}

const transaction: Shape = {
  needs: [],
  fields: {
    to: (value) => typeof value === 'string' && isAddress(value, { strict: false }),
    data: (value) => isHex(value),
    value: isQuantity,
    chain_id: isQuantity,
    nonce: isQuantity,
    gas_limit: isQuantity,
    max_fee_per_gas: isQuantity,
    max_priority_fee_per_gas: isQuantity,
    type: isOne(0, 1, 2),
  },
}

/** A timestamp is decimal; a chain may be hex; the rest depends on the field. */
const OPERATORS = ['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'in_condition_set']
const SOURCES: Record<string, Check> = {
  ethereum_transaction: isOne('to', 'value', 'chain_id'),
  ethereum_calldata: isText(200),
  system: isOne('current_unix_timestamp'),
}

const condition: Check = (value) => {
  if (!isObject(value)) return false
  const { field_source: source, field, operator, value: bound, abi, ...rest } = value
  if (Object.keys(rest).length > 0 || !OPERATORS.includes(String(operator))) return false
  if (!SOURCES[String(source)]?.(field)) return false
  const needsAbi = source === 'ethereum_calldata'
  if (needsAbi !== (Array.isArray(abi) && abi.length <= 200 && abi.length > 0)) return false
  if (operator === 'in') return isList(100, isText(200))(bound)
  if (source === 'system') return typeof bound === 'string' && /^[0-9]+$/.test(bound)
  return isText(200)(bound)
}

/** Rule names have fewer than 50 characters. */
const rule: Shape = {
  needs: ['name', 'method', 'conditions', 'action'],
  fields: {
    name: isText(49),
    method: isOne('eth_sendTransaction', 'eth_signTransaction', 'personal_sign', '*'),
    conditions: isList(100, condition),
    action: isOne('ALLOW', 'DENY'),
  },
}

const shapes = {
  create: {
    needs: ['chain_type'],
    fields: {
      ...changeable,
      chain_type: isOne('ethereum', 'solana'),
      display_name: isText(100),
      external_id: (value) => /^[A-Za-z0-9_-]{1,64}$/.test(String(value)),
      owner: isObject,
    },
  },
  update: { needs: [], fields: changeable },
  export: {
    needs: ['encryption_type', 'recipient_public_key'],
    fields: {
      encryption_type: isOne('HPKE'),
      recipient_public_key: isSpkiOfP256,
      export_seed_phrase: (value) => typeof value === 'boolean',
    },
  },
  send: {
    needs: ['method', 'caip2', 'params'],
    fields: {
      method: isOne('eth_sendTransaction'),
      caip2: (value) => /^eip155:[1-9][0-9]*$/.test(String(value)),
      chain_type: isOne('ethereum'),
      params: isShaped({ needs: ['transaction'], fields: { transaction: isShaped(transaction) } }),
      sponsor: (value) => typeof value === 'boolean',
      reference_id: isText(64),
    },
  },
  'make policy': {
    needs: ['version', 'name', 'chain_type', 'rules'],
    fields: {
      version: isOne('1.0'),
      name: isText(50),
      chain_type: isOne('ethereum'),
      rules: isList(100, isShaped(rule)),
      owner_id: isId,
    },
  },
  'change policy': {
    needs: [],
    fields: { name: isText(50), rules: isList(100, isShaped(rule)), owner_id: isId },
  },
  'make quorum': {
    needs: [],
    fields: {
      public_keys: isList(50, isSpkiOfP256),
      user_ids: isList(50, isText(100)),
      key_quorum_ids: isList(5, isId),
      authorization_threshold: (value) => Number.isInteger(value) && Number(value) >= 1,
      display_name: isText(50),
    },
  },
} satisfies Record<string, Shape>

export type Shaped = keyof typeof shapes

export function shapeProblem(operation: Shaped, body: unknown): Refusal | undefined {
  const named = fits(shapes[operation], body)
  if (named.length === 0) return undefined
  const code = operation.endsWith('policy') ? 'invalid_policy_format' : 'invalid_data'
  return refusal(400, `Invalid input: ${named.join(', ')}`, code)
}
