import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { encodeErrorResult, HttpRequestError, parseAbi, RpcRequestError, TimeoutError } from 'viem'
import { describe, expect, test } from 'vitest'
import { isTimeout, revertOf, sendAnswerOf } from './node-errors.ts'
import { refusalCode } from './vault-codec.ts'

const url = 'http://127.0.0.1:1'
const said = (message: string, { code = -32_000, data }: { code?: number; data?: unknown } = {}) =>
  new RpcRequestError({ body: {}, url, error: { code, message, data } })

const accepted = [
  ['geth', 'already known'],
  ['older geth', 'known transaction: 5d2c1c7c'],
  ['nethermind', 'AlreadyKnown'],
  ['erigon', 'ALREADY_EXISTS: already known'],
  ['erigon', 'INTERNAL_ERROR: existing tx with same hash'],
  ['reth', 'already known'],
  ['besu', 'Known transaction'],
  ['anvil', 'transaction already imported'],
  ['hardhat', 'Known transaction: 0x5d2c'],
  ['openethereum', 'Transaction with the same hash was already imported.'],
]
const tooLow = [
  ['geth', 'nonce too low: next nonce 5, tx nonce 3'],
  ['avalanche', 'nonce too low: address 0x12 current nonce (5) > tx nonce (3)'],
  ['nethermind', 'OldNonce'],
  ['nethermind', 'OldNonce, Current nonce: 5, nonce of rejected tx: 3'],
  ['erigon', 'INTERNAL_ERROR: nonce too low'],
  ['erigon', 'INTERNAL_ERROR: mined'],
  ['reth', 'nonce too low: next nonce 5, tx nonce 3'],
  ['besu', 'Nonce too low'],
  ['besu', 'transaction nonce 3 below sender account nonce 5'],
  ['anvil', 'nonce too low'],
  ['hardhat', 'Nonce too low. Expected nonce to be 5 but got 3.'],
  ['openethereum', 'Transaction nonce is too low. Try incrementing the nonce.'],
]
const underpriced = [
  ['geth', 'replacement transaction underpriced'],
  ['geth', 'transaction underpriced: gas tip cap 1, minimum needed 1000000'],
  ['geth', 'max fee per gas less than block base fee: address 0x12, maxFeePerGas: 1, baseFee: 7'],
  ['nethermind', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7'],
  ['nethermind', 'FeeTooLowToCompete'],
  ['nethermind', 'ReplacementNotAllowed'],
  ['erigon', 'FEE_TOO_LOW: underpriced'],
  ['erigon', 'INTERNAL_ERROR: fee too low'],
  ['erigon', 'INTERNAL_ERROR: could not replace existing tx'],
  ['reth', 'replacement transaction underpriced'],
  ['besu', 'Replacement transaction underpriced'],
  ['besu', 'Gas price below configured minimum gas price'],
  ['besu', 'Gas price below current base fee'],
  ['anvil', 'max fee per gas less than block base fee'],
  ['anvil', 'Tx: [0x12] insufficient gas price to replace existing transaction'],
  ['hardhat', 'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 2 is'],
  ['hardhat', 'Transaction maxFeePerGas (1) is too low for the next block, which has a'],
  ['openethereum', 'Transaction gas price 1wei is too low. There is another transaction with same'],
]
/** Errors that leave it unknown whether the transaction was accepted. */
const unclear = [
  'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1',
  'InsufficientFunds, Account balance: 0, cumulative cost: 1',
  'txpool is full',
  'nonce too high',
  'NonceGap, Future nonce. Expected nonce: 3',
  'intrinsic gas too low: gas 1, minimum needed 21000',
  'exceeds block gas limit',
  'tx fee (4.20 ether) exceeds the configured cap (1.00 ether)',
  'max priority fee per gas higher than max fee per gas',
  'invalid sender',
  'only replay-protected (EIP-155) transactions allowed over RPC',
  'rlp: value size exceeds available input length',
  'unknown transaction type',
  'in-flight transaction limit reached for delegated accounts',
  'rate limit exceeded',
  'Internal error',
  '',
]

describe("a node's pool error", () => {
  const all = { accepted, nonce_too_low: tooLow, underpriced }
  const table = Object.entries(all).flatMap(([answer, texts]) =>
    texts.map(([client = '', text = '']) => [answer, client, text] as const),
  )
  test.for(table)('of %s is read as %s: %s', ([answer, , text]) => {
    expect(sendAnswerOf(said(text))).toBe(answer)
    expect(sendAnswerOf(said(text, { code: -32_010 }))).toBe(answer)
  })

  test.for(unclear)('is inconclusive for %s', (text) => {
    expect(sendAnswerOf(said(text))).toBeUndefined()
  })

  test('is inconclusive when only a proxy answers', () => {
    const details = 'nonce too low'
    expect(sendAnswerOf(new HttpRequestError({ url, details }))).toBeUndefined()
    expect(sendAnswerOf(new Error(details))).toBeUndefined()
  })
})

const data = encodeErrorResult({ abi: vaultAbi, errorName: 'PolicyPaused' })

describe('a revert', () => {
  test.for([
    ['geth, erigon, reth, anvil', 'execution reverted', 3, data],
    ['besu', 'Execution reverted', -32_000, data],
    ['nethermind', 'VM execution error.', -32_015, `Reverted ${data}`],
    ['hardhat', 'VM Exception while processing transaction: reverted', -32_603, { data }],
    ['hardhat over a proxy', 'execution reverted', -32_603, { message: 'x', data: { data } }],
  ] as const)('of %s carries what the contract returned', ([, message, code, given]) => {
    expect(revertOf(said(message, { code, data: given }))).toEqual({ data })
  })

  test.for(['execution reverted', 'out of gas', 'EVM error OutOfGas', 'invalid opcode: INVALID'])(
    'may carry no data: %s',
    (message) => {
      expect(revertOf(said(message))).toEqual({ data: '0x' })
    },
  )

  test.for([
    'header not found',
    'missing trie node 12ab (path ) state 0x12ab is not available',
    'rate limit exceeded',
    'the method eth_call does not exist/is not available',
    'insufficient funds for gas * price + value',
    'Internal error',
  ])("is not a node's own failure: %s", (message) => {
    expect(revertOf(said(message, { data }))).toBeUndefined()
  })

  test("is not a proxy's error", () => {
    const error = new HttpRequestError({ url, details: 'execution reverted' })
    expect(revertOf(error)).toBeUndefined()
  })
})

test('distinguishes a time-out from other errors', () => {
  expect(isTimeout(new TimeoutError({ body: {}, url }))).toBe(true)
  expect(isTimeout(new HttpRequestError({ url }))).toBe(false)
  expect(isTimeout(said('request timed out'))).toBe(false)
})

describe('a refusal code', () => {
  const foreign = parseAbi([
    'error Error(string)',
    'error Panic(uint256)',
    'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  ])
  const zero = `0x${'00'.repeat(20)}` as const
  const data32 = `0x${'00'.repeat(32)}` as const
  test.for([
    ['the reason of a token', ['Pausable: paused'], 'Error', 'token_refused'],
    ['an error of a token', [zero, 1n, 2n], 'ERC20InsufficientBalance', 'token_refused'],
    ['a panic', [17n], 'Panic', 'reverted'],
  ] as const)('is derived from %s', ([, args, errorName, code]) => {
    expect(refusalCode(encodeErrorResult({ abi: foreign, errorName, args } as never))).toBe(code)
  })

  test('is token_refused when the data cannot be decoded', () => {
    expect(refusalCode('0x12')).toBe('token_refused')
    expect(refusalCode(data.slice(0, 8) as `0x${string}`)).toBe('token_refused')
  })

  const notOfPayments = new RegExp(
    [
      /^(?:NotOwner|NotGuardian|InvalidConfig|ZeroAddress|OwnToken|PauseMismatch|TooEarly)$/,
      /^(?:RecipientsVersionMismatch|Proposal.*|SafeERC20.*|Reent.*|.*String.*)$/,
      /^AutomaticPeriodCapExceeded$/, // below
    ]
      .map(({ source }) => source)
      .join('|'),
  )
  const values: Record<string, unknown> = { address: zero, bytes32: data32 }
  const errors = vaultAbi.filter((item) => item.type === 'error')
  test.for(errors.filter(({ name }) => !notOfPayments.test(name)))(
    'names each vault error that can reject a payment: $name',
    ({ name, inputs }) => {
      const args = inputs.map(({ type }) => values[type] ?? 0n)
      const code = refusalCode(encodeErrorResult({ abi: vaultAbi, errorName: name, args } as never))
      expect(code.replaceAll('_', '')).toBe(name.toLowerCase())
    },
  )

  test('is the same for both caps of a period, which are free again at the same time', () => {
    const errorName = 'AutomaticPeriodCapExceeded'
    const error = encodeErrorResult({ abi: vaultAbi, errorName, args: [3n, 2n, 1n] })
    expect(refusalCode(error)).toBe('period_cap_exceeded')
  })

  test('is reverted without data', () => {
    expect(refusalCode('0x')).toBe('reverted')
  })
})
