/** What a node's error means: a contract's refusal, an answer of its pool, or trouble. Pure. */
import { BaseError, type Hex, isHex, RpcRequestError, TimeoutError } from 'viem'
import type { NodeSendAnswer } from '#ports/payment-node.ts'

type NodeError = { code: number; message: string; data: unknown }

/** What the node itself has said; undefined when it was not heard. */
export function nodeErrorOf(error: unknown): NodeError | undefined {
  const found = error instanceof BaseError && error.walk((one) => one instanceof RpcRequestError)
  if (!(found instanceof RpcRequestError)) return undefined
  return { code: found.code, message: String(found.details), data: found.data }
}

export const isTimeout = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((one) => one instanceof TimeoutError) !== null

/** Of geth, erigon, reth and anvil; every node has words of its own beside it. */
const REVERT_CODE = 3
const REVERT_WORDS = new RegExp(
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

/** The contract was run and refused; `data` is what it returned. Undefined for any other error. */
export function revertOf(error: unknown): { data: Hex } | undefined {
  const said = nodeErrorOf(error)
  if (!said) return undefined
  const isRevert = said.code === REVERT_CODE || REVERT_WORDS.test(said.message)
  return isRevert ? { data: returnedData(said.data) } : undefined
}

/** As it is, after a word ("Reverted 0x…"), or one level down. */
function returnedData(data: unknown): Hex {
  if (typeof data === 'object' && data !== null && 'data' in data) return returnedData(data.data)
  const [hex] = typeof data === 'string' ? (/0x[0-9a-f]*$/i.exec(data) ?? []) : []
  return isHex(hex) ? hex : '0x'
}

const POOL_WORDS: [NodeSendAnswer, RegExp[]][] = [
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

/** Undefined for what says nothing about the pool: nobody knows then whether it was taken. */
export function sendAnswerOf(error: unknown): NodeSendAnswer | undefined {
  const message = nodeErrorOf(error)?.message.toLowerCase()
  if (message === undefined) return undefined
  return POOL_WORDS.find(([, words]) => words.some((word) => word.test(message)))?.[0]
}
