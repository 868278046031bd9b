/** Evidence of payments in spending periods, and nodes that lie about what was paid in one. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { periodOf } from '@countersign/proof/spending-period.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { concatHex, encodeEventTopics, type Hex, numberToHex, slice } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import type { RpcCall } from '#test/chain/rpc-proxy.ts'
import { paid } from '#test/support/evidence.ts'
import {
  configure,
  openVault,
  type PayingVault,
  policyOf,
  timeOf,
  waitUntil,
} from '#test/support/paying-vaults.ts'
import { useStage } from './stage.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused } = verdictsBy(() => stage.proxy.url)

const HOUR = 3_600
const PERIOD = { periodSeconds: HOUR, periodCap: 2_000n, automaticPeriodCap: 800n }
const TOTAL = 'chain: within the period'
const AUTOMATIC = 'chain: automatic payments within the period'
const COMPLETE = 'chain: no payment of the period is missing'

/** Leaves room in the period, so that the tests' own blocks do not end it. */
async function waitForPeriod(periodSeconds = HOUR): Promise<void> {
  const { endsAt } = periodOf(await timeOf(stage.payer), periodSeconds)
  await waitUntil(stage.payer, endsAt + 60)
}

const findingsOf = async (evidence: Evidence) => {
  const { verdict, findings } = await check(evidence)
  const details = Object.fromEntries(findings.map(({ link, detail }) => [link, detail]))
  return { verdict, total: details[TOTAL], automatic: details[AUTOMATIC], details }
}

const spentInPeriod = async (vault: PayingVault): Promise<[bigint, bigint]> => {
  const [total, automatic] = await stage.payer.chain.client.readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'spentInPeriod',
  })
  return [total, automatic]
}

describe('honest evidence', () => {
  test('is verified up to both caps, and its sums are those of the vault', async () => {
    await waitForPeriod()
    const vault = await openVault(stage.payer, { policy: PERIOD })
    const pay = (amount: bigint, mode: 'approved' | 'automatic') =>
      paid(stage.payer, vault, { amount, mode })
    const bundles = [
      await pay(700n, 'approved'),
      await pay(500n, 'automatic'),
      await pay(300n, 'automatic'),
      await pay(500n, 'approved'),
    ]
    await expect(pay(1n, 'approved')).rejects.toThrow('refused the payment')
    const found = await Promise.all(bundles.map(findingsOf))
    expect(found.map(({ verdict }) => verdict)).toEqual(Array(4).fill('verified'))
    expect(found.map(({ total }) => total?.split(',')[0])).toEqual([
      '700 of at most 2000',
      '1200 of at most 2000',
      '1500 of at most 2000',
      '2000 of at most 2000',
    ])
    expect(found.map(({ automatic }) => automatic)).toEqual([
      undefined,
      '500 of at most 800',
      '800 of at most 800',
      undefined,
    ])
    expect(await spentInPeriod(vault)).toEqual([2_000n, 800n])
  })

  test('counts from the start of the period, and names its span', async () => {
    await waitForPeriod()
    const vault = await openVault(stage.payer, { policy: PERIOD })
    await paid(stage.payer, vault, { amount: 1_000n })
    await waitForPeriod()
    const { total } = await findingsOf(await paid(stage.payer, vault, { amount: 900n }))
    expect(total).toMatch(/^900 of at most 2000, \d{4}-.*:00:00\.000Z to \d{4}-.*:00:00\.000Z$/)
  })

  test('counts what a change of the length carried, through several policies', async () => {
    await waitForPeriod(86_400)
    const { payer } = stage
    const opened = await openVault(payer, { policy: { ...PERIOD, periodSeconds: 86_400 } })
    await paid(payer, opened, { amount: 700n })
    await waitUntil(payer, (await timeOf(payer)) + 5 * HOUR)
    const off = await configure(payer, opened)
    await paid(payer, off, { amount: 400n, mode: 'automatic' })
    const hourly = await configure(payer, off, { policy: policyOf(payer, PERIOD) })
    const evidence = await paid(payer, hourly, { amount: 300n, mode: 'automatic' })
    const { verdict, total, automatic } = await findingsOf(evidence)
    expect(verdict).toBe('verified')
    expect(total).toMatch(/^1400 of at most 2000, .*, with what was paid since /)
    expect(automatic).toBe('700 of at most 800')
    expect(await spentInPeriod(hourly)).toEqual([1_400n, 700n])
  })

  test('of a policy without a period says nothing about one', async () => {
    const vault = await openVault(stage.payer)
    const { verdict, details } = await findingsOf(await paid(stage.payer, vault))
    expect(verdict).toBe('verified')
    expect(Object.keys(details)).not.toContain(TOTAL)
  })
})

const [PAYMENT] = encodeEventTopics({ abi: vaultAbi, eventName: 'PaymentExecuted' })

type RpcLog = { topics: Hex[]; data: Hex }

/** Changes the list of the vault's payments that a node returns. */
const onlyForPayments = (change: (logs: RpcLog[]) => RpcLog[]) =>
  onlyFor('eth_getLogs', (logs: RpcLog[], { params }: RpcCall) => {
    const { topics } = params[0] as { topics?: (Hex | Hex[])[] }
    return [topics?.[0]].flat().includes(PAYMENT) ? change(logs) : logs
  })

describe('a node', () => {
  let last: Evidence

  beforeAll(async () => {
    await waitForPeriod()
    const vault = await openVault(stage.payer, { policy: PERIOD })
    await paid(stage.payer, vault, { amount: 600n })
    await paid(stage.payer, vault, { amount: 400n, mode: 'automatic' })
    last = await paid(stage.payer, vault, { amount: 300n, mode: 'automatic' })
  })

  /** The amount is the second word of the data. */
  const withAmount = (log: RpcLog, amount: bigint): RpcLog => ({
    ...log,
    data: concatHex([
      slice(log.data, 0, 32),
      numberToHex(amount, { size: 32 }),
      slice(log.data, 64),
    ]),
  })

  test('132: that logs more than the caps allow refuses the evidence', async () => {
    stage.proxy.tamper = onlyForPayments((logs) => logs.map((log) => withAmount(log, 700n)))
    await expectRefused(last, [TOTAL, AUTOMATIC, COMPLETE])
  })

  test.each([0, 1])('133: that leaves out payment %d refuses the evidence', async (left) => {
    stage.proxy.tamper = onlyForPayments((logs) => logs.filter((_log, index) => index !== left))
    await expectRefused(last, [COMPLETE])
  })

  test('134: that leaves out this payment refuses the evidence', async () => {
    stage.proxy.tamper = onlyForPayments((logs) => logs.slice(0, -1))
    await expectRefused(last, [COMPLETE])
    stage.proxy.tamper = onlyForPayments(() => [])
    await expectRefused(last, [COMPLETE])
  })

  test('that searches short ranges only gives the same verdict', async () => {
    const widths: number[] = []
    stage.proxy.trouble = ({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined
      const { fromBlock, toBlock } = params[0] as { fromBlock?: Hex; toBlock?: Hex }
      const width = Number(toBlock ?? 0) - Number(fromBlock ?? 0) + 1
      widths.push(width)
      const error = { code: -32_005, message: 'query returned more than 10 blocks' }
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, error })
      return width > 10 ? { status: 200, text } : undefined
    }
    for (let block = 0; block < 25; block += 1) await stage.payer.chain.request('evm_mine')
    const vault = await openVault(stage.payer, { policy: PERIOD })
    await paid(stage.payer, vault, { amount: 200n })
    for (let block = 0; block < 25; block += 1) await stage.payer.chain.request('evm_mine')
    const { verdict, total } = await findingsOf(await paid(stage.payer, vault, { amount: 100n }))
    expect([verdict, total?.split(',')[0]]).toEqual(['verified', '300 of at most 2000'])
    expect(Math.max(...widths)).toBeGreaterThan(25)
  })

  test('that does not search its logs gives no verdict', async () => {
    stage.proxy.trouble = ({ method }) => {
      const error = { code: -32_601, message: 'eth_getLogs is disabled' }
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, error })
      return method === 'eth_getLogs' ? { status: 200, text } : undefined
    }
    const witness = createPaymentWitness(stage.proxy.url)
    await expect(check(last, { witnesses: [witness] })).rejects.toThrow(/eth_getLogs is disabled/)
  })
})
