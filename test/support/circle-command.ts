/** Arguments of the emulated `circle` program, checked as strictly as documented. */
import { type AbiFunction, encodeFunctionData, type Hex, parseAbi } from 'viem'

export type Execution = {
  contractAddress: string
  callData: Hex
  address: string
  chain: string
  idempotencyKey: string
}

export type Command =
  | { name: 'status' }
  | ({ name: 'execute' } & Execution)
  | { name: 'refused'; message: string }

const refused = (message: string): Command => ({ name: 'refused', message })

const STATUS = 'wallet status --type agent --output json'
const FLAGS = ['--contract', '--address', '--chain', '--idempotency-key', '--output'] as const

const isAddress = (text: string | undefined): text is string =>
  /^0x[0-9a-fA-F]{40}$/.test(text ?? '')
const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export function commandOf(argv: readonly string[]): Command {
  if (argv.join(' ') === STATUS) return { name: 'status' }
  const [resource, verb, signature = '', ...rest] = argv
  if (resource !== 'wallet' || verb !== 'execute') return refused('unknown command')
  const first = rest.findIndex((part) => part.startsWith('--'))
  const flags = flagsIn(rest.slice(first))
  if (first < 0 || !flags) return refused('unknown option')
  const callData = encoded(signature, rest.slice(0, first))
  if (!callData) return refused('invalid function or arguments')
  const [contractAddress, address, chain = '', idempotencyKey = '', output] = flags
  if (!isAddress(contractAddress) || !isAddress(address)) return refused('invalid address')
  if (!UUID4.test(idempotencyKey) || output !== 'json') return refused('invalid option')
  return { name: 'execute', contractAddress, callData, address, chain, idempotencyKey }
}

/** In the order of `FLAGS`, each exactly once. */
function flagsIn(parts: readonly string[]): (string | undefined)[] | undefined {
  const pairs = new Map<string, string>()
  for (let index = 0; index < parts.length; index += 2) {
    const [name = '', value = ''] = parts.slice(index, index + 2)
    const isKnown = FLAGS.some((flag) => flag === name)
    if (!isKnown || pairs.has(name) || value === '' || value.startsWith('-')) return undefined
    pairs.set(name, value)
  }
  return pairs.size === FLAGS.length ? FLAGS.map((flag) => pairs.get(flag)) : undefined
}

/** Flat types only: the program supports no tuples, lists or negative numbers. */
function encoded(signature: string, args: readonly string[]): Hex | undefined {
  if (
    !/^[a-zA-Z]\w*\((?:(?:address|bytes(?:32)?|uint[0-9]{1,3})(?:,(?!\)))?)*\)$/.test(signature)
  ) {
    return undefined
  }
  try {
    const [item] = parseAbi([`function ${signature}` as 'function f(uint256)']) as readonly [
      AbiFunction,
    ]
    if (item.inputs.length !== args.length) return undefined
    const values = args.map((arg, index) => argumentOf(item.inputs[index]?.type ?? '', arg))
    return encodeFunctionData({ abi: [item], args: values })
  } catch {
    return undefined
  }
}

function argumentOf(type: string, arg: string): unknown {
  if (!type.startsWith('uint')) return arg
  if (!/^[0-9]+$/.test(arg)) throw new Error('not a number')
  return BigInt(arg)
}
