/**
 * README, "Who can take what": every process, every secret, the database and the executor's key
 * belong to the attacker, and even one approver does. The vault holds what leaves in one period to
 * the caps that the owner signed.
 */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { open } from '#adapters/local/keystore.ts'
import { executorKeyName } from '#adapters/local/local-executor.ts'
import { deriveSecrets } from '#platform/secrets.ts'
import { createRandom } from '#test/fuzz/random.ts'
import { cleanUp } from '#test/processes/processes.ts'
import {
  joinApprover,
  type PayingHouse,
  renewPolicy,
  tokenBalance,
} from '#test/support/payments.ts'
import { connect, SECRETS, type StageHere, startStageHere, USDC } from './stage.ts'
import { accountOf, callVault, payApproved, payAutomatic, payWithApprovals } from './vault-calls.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** The contract's own tests make thousands, against a model. */
const CALLS = 40
const DAY = 86_400n
const AUTOMATIC = 2n * USDC
const TIER = 3n * USDC
const APPROVED = 6n * USDC
const PERIOD = 8n * USDC
const AUTOMATIC_PERIOD = 5n * USDC

const TERMS = {
  automaticCap: String(AUTOMATIC),
  approvedCap: String(APPROVED),
  lifetimeCap: String(90n * USDC),
  periodSeconds: Number(DAY),
  periodCap: String(PERIOD),
  automaticPeriodCap: String(AUTOMATIC_PERIOD),
  tiers: [{ above: String(TIER), approvals: 2 }],
}

let stage: StageHere
let house: PayingHouse
let executor: PrivateKeyAccount
/** The one whose key the attacker has, and one who is honest. */
let turned: PrivateKeyAccount
let honest: PrivateKeyAccount
let version: bigint

beforeAll(async () => {
  stage = await startStageHere()
  house = stage.house
  turned = house.approverWallet.account
  honest = (await joinApprover(house)).wallet.account
  version = BigInt((await renewPolicy(house, TERMS)).policyVersion)
  executor = await stolenExecutor()
})
afterAll(cleanUp)

/** Opened with the secrets of a worker and read with the login of the schema's owner. */
async function stolenExecutor(): Promise<PrivateKeyAccount> {
  const { keystoreKey = new Uint8Array(32) } = deriveSecrets({
    serverSecret: SECRETS.SERVER_SECRET,
    keystore: { secret: SECRETS.KEYSTORE_SECRET, previousSecret: undefined },
  })
  const client = await connect(stage.logins.owner)
  const { rows } = await client.query('select provider_reference as box from executor_bindings')
  const name = executorKeyName({ organizationId: house.id, address: house.executor })
  return accountOf(open(keystoreKey, { name, box: rows[0].box }))
}

const timestamp = async () => (await stage.chain.client.getBlock()).timestamp

/** To the first second of the next period. */
async function nextPeriod(): Promise<void> {
  const next = ((await timestamp()) / DAY + 1n) * DAY
  await stage.chain.request('evm_mine', Number(next))
}

const automatically = (amount: bigint) => payAutomatic(house, executor, { amount, version })
const withTurned = (amount: bigint) =>
  payApproved(house, { sender: executor, signer: turned }, { amount, version })
const withBoth = (amount: bigint) =>
  payWithApprovals(house, { sender: executor, signers: [turned, honest] }, { amount, version })

/** What has left in each period, from the vault's own logs. */
async function spentByPeriod(): Promise<{ total: bigint; automatic: bigint }[]> {
  const { client } = stage.chain
  const logs = await client.getContractEvents({
    address: house.vault.address,
    abi: vaultAbi,
    eventName: 'PaymentExecuted',
    fromBlock: 0n,
    strict: true,
  })
  const periods = new Map<bigint, { total: bigint; automatic: bigint }>()
  for (const { args, blockNumber } of logs) {
    const block = await client.getBlock({ blockNumber })
    const number = block.timestamp / DAY
    const sums = periods.get(number) ?? { total: 0n, automatic: 0n }
    sums.total += args.amount
    if (args.mode === 1) sums.automatic += args.amount
    periods.set(number, sums)
  }
  return [...periods.values()]
}

async function expectWithinCaps(): Promise<void> {
  for (const { total, automatic } of await spentByPeriod()) {
    expect(total).toBeLessThanOrEqual(PERIOD)
    expect(automatic).toBeLessThanOrEqual(AUTOMATIC_PERIOD)
  }
}

describe("the executor's key on a hostile server", () => {
  test('takes at most the automatic cap of the period, however it splits it', async () => {
    await nextPeriod()
    expect(await automatically(AUTOMATIC)).toBe('success')
    expect(await automatically(AUTOMATIC)).toBe('success')
    expect(await automatically(AUTOMATIC)).toBe('AutomaticPeriodCapExceeded')
    expect(await automatically(USDC)).toBe('success')
    expect(await automatically(1n)).toBe('AutomaticPeriodCapExceeded')
    expect(await tokenBalance(house, house.recipient)).toBe(AUTOMATIC_PERIOD)
  })

  test('cannot lift a cap, move a period, list a recipient or undo a block', async () => {
    const calls: [functionName: string, args: unknown[]][] = [
      ['configurePolicy', [version, await freeOfLimits()]],
      ['configurePolicyAndRecipients', [version, await freeOfLimits(), 1n, [executor.address], []]],
      ['changeRecipients', [1n, [executor.address], []]],
      ['unblockRecipient', [house.recipient]],
      ['unpause', [0n]],
      ['withdraw', [1n]],
      ['rescue', [turned.address, 1n]],
    ]
    for (const [functionName, args] of calls) {
      expect(await callVault(house, executor, { functionName, args }), functionName).toBe(
        'NotOwner',
      )
    }
    const activation = { functionName: 'activatePolicy', args: [version, await freeOfLimits()] }
    expect(await callVault(house, executor, activation)).toBe('ProposalMismatch')
  })

  test('gains nothing from a database that says otherwise', async () => {
    const client = await connect(stage.logins.owner)
    await client.query(
      `update policies set period_seconds = 0, period_cap = 0, automatic_period_cap = 0,
         automatic_cap = 1000000000, tiers = '[]'`,
    )
    expect(await automatically(1n)).toBe('AutomaticPeriodCapExceeded')
  })
})

/** The policy in force without its period and its tiers. */
async function freeOfLimits() {
  const policy = await stage.chain.client.readContract({
    address: house.vault.address,
    abi: vaultAbi,
    functionName: 'policy',
  })
  const off = { periodSeconds: 0, periodCap: 0n, automaticPeriodCap: 0n, tiers: [] }
  return { ...policy, ...off, approvers: [turned.address] }
}

describe('with the key of one approver too', () => {
  test('takes at most the cap of the period, and no amount that needs two', async () => {
    expect(await withTurned(TIER + 1n)).toBe('ApprovalCountMismatch')
    const twice = { sender: executor, signers: [turned, turned] }
    expect(await payWithApprovals(house, twice, { amount: TIER + 1n, version })).toBe(
      'ApproversNotAscending',
    )
    const withItself = { sender: executor, signers: [turned, executor] }
    expect(await payWithApprovals(house, withItself, { amount: TIER + 1n, version })).toBe(
      'ApproverNotAllowed',
    )
    expect(await withTurned(TIER)).toBe('success')
    expect(await withTurned(1n)).toBe('PeriodCapExceeded')
    expect(await tokenBalance(house, house.recipient)).toBe(PERIOD)
  })

  test('cannot use what honest approvers sign to exceed the period', async () => {
    expect(await withBoth(APPROVED)).toBe('PeriodCapExceeded')
    await nextPeriod()
    expect(await withBoth(APPROVED)).toBe('success')
    expect(await withBoth(TIER + 1n)).toBe('PeriodCapExceeded')
    expect(await automatically(AUTOMATIC)).toBe('success')
    expect(await automatically(1n)).toBe('PeriodCapExceeded')
  })
})

describe('around the end of a period', () => {
  test('takes at most the cap on either side of it', async () => {
    await nextPeriod()
    await stage.chain.request('evm_mine', Number((await timestamp()) + DAY - 60n))
    const before = await tokenBalance(house, house.recipient)
    expect(await withBoth(APPROVED)).toBe('success')
    expect(await withTurned(PERIOD - APPROVED)).toBe('success')
    expect(await withTurned(1n)).toBe('PeriodCapExceeded')
    await nextPeriod()
    expect(await withBoth(APPROVED)).toBe('success')
    expect(await withTurned(PERIOD - APPROVED)).toBe('success')
    expect(await withTurned(1n)).toBe('PeriodCapExceeded')
    expect((await tokenBalance(house, house.recipient)) - before).toBe(2n * PERIOD)
    await expectWithinCaps()
  })

  test('does not begin anew because the owner signs another policy', async () => {
    const owner = house.ownerWallet.account
    const { tiers: _tiers, ...policy } = await freeOfLimits()
    const hourly = { periodSeconds: 3_600, periodCap: PERIOD, automaticPeriodCap: PERIOD }
    const config = { ...policy, ...hourly, tiers: [], approvers: [turned.address] }
    const call = { functionName: 'configurePolicy', args: [version, config] }
    expect(await callVault(house, owner, call)).toBe('success')
    version += 1n
    expect(await withTurned(1n)).toBe('PeriodCapExceeded')
    const daily = { ...config, periodSeconds: Number(DAY), automaticPeriodCap: AUTOMATIC_PERIOD }
    const again = { functionName: 'configurePolicy', args: [version, daily] }
    expect(await callVault(house, owner, again)).toBe('success')
    version += 1n
    expect(await automatically(1n)).toBe('PeriodCapExceeded')
  })
})

describe('any sequence of its calls', () => {
  test('stays within both caps of every period', async () => {
    const random = createRandom(20_261_117)
    const answers = new Set<string>()
    for (let call = 0; call < CALLS; call += 1) {
      if (random.chance(0.06)) await nextPeriod()
      const amount = BigInt(random.integer(1, Number(AUTOMATIC)))
      answers.add(await (random.chance(0.5) ? automatically(amount) : withTurned(amount)))
    }
    await expectWithinCaps()
    expect(answers).toContain('success')
    expect(answers).toContain('PeriodCapExceeded')
    expect(answers).toContain('AutomaticPeriodCapExceeded')
  })
})
