import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Abi,
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
} from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testUsdcAbi, testUsdcCreationCode } from '#dev/test-usdc-artifact.ts'
import type { PaymentOrder } from '#ports/chain.ts'
import type { PaymentNode, Preflight, VaultCall } from '#ports/payment-node.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { compileMocks, deployMock, type Mock } from './mocks.ts'
import { approvalsAbi, openPayer, type Payer } from './payer.ts'

let real: TestChain
let payer: Payer
let node: PaymentNode
let mocks: Record<string, Mock>
let snapshot: unknown

beforeAll(async () => {
  real = await startTestChain()
  payer = await openPayer(real)
  await payer.configure()
  node = payer.nodeAt(real.rpcUrl)
  mocks = await compileMocks(['OddToken'])
})
beforeEach(async () => {
  snapshot = await real.request('evm_snapshot')
})
afterEach(async () => {
  await real.request('evm_revert', snapshot)
})
afterAll(() => real.stop())

const tryOut = (order: PaymentOrder, from = payer.address) =>
  node.preflight({ from, call: payer.bench.chain.paymentCall(order) })

const codeOf = (answer: Preflight) => (answer.outcome === 'passes' ? 'passes' : answer.code)
const outcome = async (order: PaymentOrder, from?: string) => codeOf(await tryOut(order, from))

const bothApprovers = () => [payer.approver, payer.bench.approver]
/** Amounts above 50 need two approvers. */
const twoSignatures = (): Partial<ChainPolicy> => ({
  automaticCap: 50n,
  tiers: [{ above: 50n, approvals: 2 }],
  approverAddresses: bothApprovers().map(({ address }) => address.toLowerCase()),
})
const daily = (caps: Pick<ChainPolicy, 'periodCap' | 'automaticPeriodCap'>) => ({
  periodSeconds: 86_400,
  ...caps,
})

/** The same call with its approvals in the wrong order, which the codec does not build. */
function reversed(order: PaymentOrder): VaultCall {
  const call = payer.bench.chain.paymentCall(order)
  const { args } = decodeFunctionData({ abi: vaultAbi, data: call.data as Hex })
  const [approvals] = decodeAbiParameters(approvalsAbi, args?.at(-1) as Hex)
  const inDisorder = encodeAbiParameters(approvalsAbi, [approvals.toReversed()])
  const data = encodeFunctionData({
    abi: vaultAbi,
    functionName: 'executeApproved',
    args: [...(args?.slice(0, -1) ?? []), inDisorder],
  } as never)
  return { ...call, data }
}

describe('a payment that the vault allows', () => {
  test('passes without a signature', async () => {
    expect(await outcome(await payer.order())).toBe('passes')
  })
  test('passes with the signature of an approver', async () => {
    expect(await outcome(await payer.signedOrder({ amount: 1_000n }))).toBe('passes')
  })
  test('passes with the signatures of as many approvers as its tier asks for', async () => {
    await payer.configure(twoSignatures())
    expect(await outcome(await payer.signedOrder({}, bothApprovers()))).toBe('passes')
    expect(await outcome(await payer.signedOrder())).toBe('approval_count_mismatch')
    expect(await outcome(await payer.signedOrder({ amount: 50n }))).toBe('passes')
  })
  test('is only simulated: nothing was paid', async () => {
    const order = await payer.order()
    await tryOut(order)
    const { vaultAddress, chainPaymentId } = order
    const blockNumber = Number(await real.client.getBlockNumber({ cacheTime: 0 }))
    const asked = { vaultAddress, chainPaymentId, transactionHashes: [], blockNumber }
    expect((await node.evidence(asked)).isExecuted).toBe(false)
  })
})

/** Every vault error that a payment can meet, in the order of the vault's checks. */
const refusals: Record<string, () => Promise<string>> = {
  NotExecutor: async () => outcome(await payer.order(), payer.bench.owner.address),
  VersionMismatch: async () => {
    const order = await payer.order()
    await payer.configure()
    return outcome(order)
  },
  ApprovalCountMismatch: async () => outcome(await payer.signedOrder({}, bothApprovers())),
  ApproversNotAscending: async () => {
    await payer.configure(twoSignatures())
    const order = await payer.signedOrder({}, bothApprovers())
    return codeOf(await node.preflight({ from: payer.address, call: reversed(order) }))
  },
  ApproverNotAllowed: async () => outcome(await payer.signedOrder({}, [payer.bench.owner])),
  ApprovalIsInvalidated: async () => {
    const order = await payer.signedOrder()
    await payer.callVault(payer.approver, 'invalidateApproval', order.approvalDigests)
    return outcome(order)
  },
  InvalidSignature: async () => {
    const signer = { ...payer.bench.owner, inTheNameOf: payer.approver.address }
    return outcome(await payer.signedOrder({}, [signer]))
  },
  AutomaticDisabled: async () => {
    await payer.configure({ automaticEnabled: false })
    return outcome(await payer.order())
  },
  PolicyPaused: async () => {
    await payer.callVault(payer.bench.owner, 'emergencyPause')
    return outcome(await payer.order())
  },
  PolicyExpired: async () => {
    const { timestamp } = await real.client.getBlock()
    await payer.configure({ expiresAtSeconds: Number(timestamp) + 100 })
    await real.request('evm_mine', Number(timestamp) + 100)
    return outcome(await payer.order())
  },
  DeadlinePassed: async () => {
    const { timestamp } = await real.client.getBlock()
    return outcome(await payer.order({ deadlineSeconds: Number(timestamp) - 1 }))
  },
  PaymentAlreadyExecuted: async () => {
    const order = await payer.order()
    expect((await payer.pay(order)).status).toBe('success')
    return outcome(order)
  },
  ZeroAmount: async () => outcome(await payer.order({ amount: 0n })),
  CapExceeded: async () => outcome(await payer.order({ amount: 501n })),
  RecipientNotAllowed: async () =>
    outcome(await payer.order({ recipientAddress: payer.bench.owner.address.toLowerCase() })),
  RecipientIsBlocked: async () => {
    await payer.callVault(payer.approver, 'blockRecipient', [payer.bench.recipient])
    return outcome(await payer.order())
  },
  RecipientHasRole: async () => {
    const { recipient } = payer.bench
    await payer.configure({ approverAddresses: [recipient.toLowerCase()] })
    return outcome(await payer.order())
  },
  LifetimeCapExceeded: async () => {
    await payer.configure({ lifetimeCap: 500n, approvedCap: 500n, automaticCap: 500n })
    await payer.pay(await payer.order({ amount: 401n }))
    return outcome(await payer.order({ amount: 100n }))
  },
  PeriodCapExceeded: async () => {
    await payer.configure(daily({ periodCap: 500n, automaticPeriodCap: 500n }))
    await payer.pay(await payer.signedOrder({ amount: 401n }))
    return outcome(await payer.order({ amount: 100n }))
  },
  AutomaticPeriodCapExceeded: async () => {
    await payer.configure(daily({ periodCap: 1_000n, automaticPeriodCap: 500n }))
    await payer.pay(await payer.order({ amount: 401n }))
    expect(await outcome(await payer.signedOrder({ amount: 100n }))).toBe('passes')
    return outcome(await payer.order({ amount: 100n }))
  },
  ReserveBreached: async () => {
    await payer.configure({ reserveFloor: 9_901n })
    return outcome(await payer.order({ amount: 100n }))
  },
  UnexpectedTokenDelta: () => paidWithOddToken('TakesAFee'),
}

/** A caller need not know which of the two caps is exhausted: both are free at the same time. */
const codeFor = (name: string) =>
  name === 'AutomaticPeriodCapExceeded' ? 'period_cap_exceeded' : snakeCase(name)
const snakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).slice(1)

describe('the refusal', () => {
  test.for(Object.entries(refusals))('%s is reported by name', async ([name, refusal]) => {
    expect(await refusal()).toBe(codeFor(name))
  })

  /** Errors of other functions, of the constructor, and of the libraries. */
  const elsewhere = [
    ...['NotOwner', 'NotGuardian', 'InvalidConfig', 'ZeroAddress', 'RecipientsVersionMismatch'],
    ...['ProposalMismatch', 'TooEarly', 'ProposalExpired', 'PauseMismatch', 'OwnToken'],
  ]
  const ofLibraries = ['InvalidShortString', 'StringTooLong']
  const ofToken = ['SafeERC20FailedOperation', 'ReentrancyGuardReentrantCall']
  test('table covers every error of the vault', () => {
    const all = vaultAbi.flatMap((item) => (item.type === 'error' ? [item.name] : []))
    const known = [...Object.keys(refusals), ...elsewhere, ...ofLibraries, ...ofToken]
    expect(known.sort()).toEqual([...all].sort())
  })
})

/** A vault with 1000 of a token that the test's owner administers. */
async function vaultWith(token: { address: Address; abi: Abi }): Promise<Address> {
  const vault = await payer.addVault(token.address)
  await payer.configure({}, vault)
  await callToken(token, 'mint', [vault, 1_000n])
  return vault
}

async function callToken(
  { address, abi }: { address: Address; abi: Abi },
  functionName: string,
  args: readonly unknown[],
): Promise<void> {
  const { send, owner } = payer.bench
  const data = encodeFunctionData({ abi, functionName, args })
  expect((await send(owner, { to: address, data })).status).toBe('success')
}

const KINDS = { ReturnsFalse: 2, TakesAFee: 1, MovesNothing: 6, HidesBalances: 11, Silent: 12 }

async function paidWithOddToken(kind: keyof typeof KINDS): Promise<string> {
  const { OddToken } = mocks
  const token = { address: await deployMock(payer.bench, OddToken), abi: OddToken?.abi ?? [] }
  const vaultAddress = await vaultWith(token)
  await callToken(token, 'become', [KINDS[kind]])
  return outcome(await payer.order({ vaultAddress }))
}

describe('a token', () => {
  test.for([
    ['that is paused', 'setPaused', () => [true]],
    ['that has blacklisted the recipient', 'setBlacklisted', () => [payer.bench.recipient, true]],
  ] as const)('%s refuses until that is lifted', async ([, functionName, args]) => {
    const usdc = { abi: testUsdcAbi as Abi, bytecode: testUsdcCreationCode }
    const token = { ...usdc, address: await deployMock(payer.bench, usdc) }
    const order = await payer.order({ vaultAddress: await vaultWith(token) })
    await callToken(token, functionName, args())
    expect(await outcome(order)).toBe('token_refused')
    await callToken(token, functionName, [...args().slice(0, -1), false])
    expect(await outcome(order)).toBe('passes')
  })

  test.for([
    ['returns false', 'ReturnsFalse', 'token_refused'],
    ['does not return balances', 'HidesBalances', 'token_refused'],
    ['moves nothing', 'MovesNothing', 'unexpected_token_delta'],
    ['reverts without a reason', 'Silent', 'reverted'],
  ] as const)("that %s is distinguished from the vault's refusal", async ([, kind, code]) => {
    expect(await paidWithOddToken(kind)).toBe(code)
  })
})

describe('a call', () => {
  test('with too little gas reverts', async () => {
    const call = payer.bench.chain.paymentCall(await payer.order())
    const asked = { from: payer.address, call: { ...call, gasLimit: 60_000n } }
    expect(await node.preflight(asked)).toEqual({ outcome: 'reverts', code: 'reverted' })
  })

  test('to an unreachable chain is not a refusal', async () => {
    const call = payer.bench.chain.paymentCall(await payer.order())
    const away = payer.nodeAt('http://127.0.0.1:1')
    await expect(away.preflight({ from: payer.address, call })).rejects.toThrow(
      'HTTP request failed',
    )
  })
})
