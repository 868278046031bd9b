/** Classifies a node's error: a revert, an answer of its mempool, or an outage. Pure. */
import { BaseError, type Hex, isHex, RpcRequestError, TimeoutError } from 'viem'
import type { NodeSendAnswer } from '#ports/payment-node.ts'

type NodeError = { code: number; message: string; data: unknown }

/** The JSON-RPC error that the node returned; undefined without one, such as for a time-out. */
export function nodeErrorOf(error: unknown): NodeError | undefined {
  const found = error instanceof BaseError && error.walk((one) => one instanceof RpcRequestError)
  if (!(found instanceof RpcRequestError)) return undefined
  return { code: found.code, message: String(found.details), data: found.data }
}

export const isTimeout = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((one) => one instanceof TimeoutError) !== null

/** Used by geth, erigon, reth and anvil. Other nodes are recognised by their messages. */
const REVERT_CODE = 3
const REVERT_MESSAGES = new RegExp(
  [
    /\brevert(?:ed)?\b/, // besu, hardhat, ganache
    /vm execution error/, // nethermind
    /out ?of ?gas/,
    /invalid (?:opcode|jump)|bad instruction|stack (?:under|over)flow/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

/** The contract reverted; `data` is its revert data. Undefined for any other error. */
export function revertOf(error: unknown): { data: Hex } | undefined {
  const nodeError = nodeErrorOf(error)
  if (!nodeError) return undefined
  const isRevert = nodeError.code === REVERT_CODE || REVERT_MESSAGES.test(nodeError.message)
  return isRevert ? { data: returnedData(nodeError.data) } : undefined
}

/** Nodes return it directly, after a prefix ("Reverted 0x…"), or nested in an object. */
function returnedData(data: unknown): Hex {
  if (typeof data === 'object' && data !== null && 'data' in data) return returnedData(data.data)
  const [hex] = typeof data === 'string' ? (/0x[0-9a-f]*$/i.exec(data) ?? []) : []
  return isHex(hex) ? hex : '0x'
}

const MEMPOOL_MESSAGES: [NodeSendAnswer, RegExp[]][] = [
  [
    'accepted',
    [
      /already ?known/, // geth, erigon, reth, nethermind
      /already_exists/, // erigon
      /\bknown transaction/, // besu, hardhat, older geth
      /already (?:been )?imported/, // anvil, openethereum
      /existing tx with same hash/, // erigon
    ],
  ],
  [
    'nonce_too_low',
    [
      /nonce (?:is )?too low/, // geth, erigon, reth, besu, anvil, hardhat, openethereum
      /\boldnonce\b/, // nethermind
      /below sender account nonce/, // besu
      /nonce has already been used/,
      /already (?:mined|finalized)|: mined$/, // erigon
    ],
  ],
  [
    'underpriced',
    [
      /\bunderpriced\b/, // geth, erigon, reth, besu
      /fee(?: |_)?too(?: |_)?low/, // nethermind, erigon
      /less than block base fee/, // geth, erigon, reth, anvil
      /replacementnotallowed/, // nethermind
      /replace existing/, // anvil, erigon
      /gas ?price .*(?:below|too low)|gas ?price too low/, // besu, hardhat, openethereum
      /fee ?per ?gas .*(?:below|too low for the next block)/, // besu, hardhat
    ],
  ],
]

/** Undefined if the error does not say whether the mempool has the transaction. */
export function sendAnswerOf(error: unknown): NodeSendAnswer | undefined {
  const message = nodeErrorOf(error)?.message.toLowerCase()
  if (message === undefined) return undefined
  return MEMPOOL_MESSAGES.find(([, patterns]) => patterns.some((p) => p.test(message)))?.[0]
}
