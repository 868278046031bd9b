/** The policy engine of the Privy emulator: DENY beats ALLOW, and no match denies. */
import { type Abi, decodeFunctionData, encodeFunctionData, type Hex } from 'viem'

type EmulatedCondition = {
  field_source: string
  field: string
  operator: string
  value: string | string[]
  abi?: unknown
}
type EmulatedRule = {
  id: string
  name: string
  method: string
  action: 'ALLOW' | 'DENY'
  conditions: EmulatedCondition[]
}
export type EmulatedPolicy = {
  id: string
  version: '1.0'
  name: string
  chain_type: string
  owner_id: string | null
  rules: EmulatedRule[]
  created_at: number
}

/** As it is about to be signed. */
export type Asked = {
  method: string
  chainId: number
  to: string
  value: bigint
  data: Hex
  /** Unix seconds. */
  now: number
}

/** Undefined where the data is not exactly a call of the ABI. */
function decoded(abi: unknown, data: Hex): { name: string; args: Record<string, unknown> } | null {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: abi as Abi, data })
    const again = encodeFunctionData({ abi: abi as Abi, functionName, args: [...args] })
    const item = (abi as Abi).find((part) => 'name' in part && part.name === functionName)
    const inputs = item && 'inputs' in item ? item.inputs : []
    if (again !== data) return null
    return {
      name: functionName,
      args: Object.fromEntries(inputs.map(({ name = '' }, index) => [name, args[index]])),
    }
  } catch {
    return null
  }
}

function found({ field_source: source, field, abi }: EmulatedCondition, asked: Asked): unknown {
  if (source === 'system') return asked.now
  if (source === 'ethereum_calldata') {
    const call = decoded(abi, asked.data)
    if (field === 'function_name') return call?.name
    const [name, argument = ''] = field.split('.')
    return call?.name === name ? call?.args[argument] : undefined
  }
  return { to: asked.to, value: asked.value, chain_id: asked.chainId }[field]
}

const numberIn = (value: unknown): bigint | undefined => {
  try {
    return BigInt(value as string)
  } catch {
    return undefined
  }
}

function compares(operator: string, left: unknown, right: unknown): boolean {
  const [a, b] = [numberIn(left), numberIn(right)]
  if (operator === 'eq') {
    const isEqual = String(left).toLowerCase() === String(right).toLowerCase()
    return isEqual || (a !== undefined && a === b)
  }
  if (a === undefined || b === undefined) return false
  return { gt: a > b, gte: a >= b, lt: a < b, lte: a <= b }[operator] ?? false
}

function holds(condition: EmulatedCondition, asked: Asked): boolean {
  const { operator, value } = condition
  const left = found(condition, asked)
  if (left === undefined) return false
  const bounds = Array.isArray(value) ? value : [value]
  return bounds.some((bound) => compares(operator === 'in' ? 'eq' : operator, left, bound))
}

/** For one policy; a signer without any is unrestricted. */
export function allows({ rules }: EmulatedPolicy, asked: Asked): boolean {
  const matching = rules.filter(
    ({ method, conditions }) =>
      (method === '*' || method === asked.method) &&
      conditions.every((condition) => holds(condition, asked)),
  )
  return matching.length > 0 && matching.every(({ action }) => action === 'ALLOW')
}
