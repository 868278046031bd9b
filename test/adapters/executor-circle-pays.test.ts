/** Payments delegated to Circle, including their outcome on the chain. */
import { randomUUID } from 'node:crypto'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { VaultCall } from '#ports/payment-node.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type CircleEmulator, fates, startCircleEmulator } from '#test/support/circle-emulator.ts'
import {
  circleExecutor,
  type Delegated,
  delegate,
  pollReport,
  provisioned,
  submit,
  unavailability,
  until,
} from './circle.ts'
import { openPayer, type Payer } from './payer.ts'

let real: TestChain
let payer: Payer
let circle: CircleEmulator

beforeAll(async () => {
  real = await startTestChain()
  payer = await openPayer(real)
  circle = await startCircleEmulator({ chain: real })
})
afterAll(async () => {
  await circle.stop()
  await real.stop()
})

/** The vault accepts payments from it; one that is not a contract has gas. */
async function house(env: Record<string, string> = {}): Promise<Delegated> {
  const made = await provisioned(circleExecutor(circle, env))
  if (env.CIRCLE_ACCOUNT_TYPE !== 'SCA') {
    await real.request('hardhat_setBalance', made.address, '0xde0b6b3a7640000')
  }
  await payer.configure({ executorAddress: made.address })
  return made
}

const paymentCall = async (): Promise<VaultCall> =>
  payer.bench.chain.paymentCall(await payer.order())

const isPaid = (call: VaultCall) =>
  real.client.readContract({
    address: payer.vault,
    abi: vaultAbi,
    functionName: 'paymentExecuted',
    args: [`0x${call.data.slice(10, 74)}` as Hex],
  })

describe.each(['EOA', 'SCA'])('a payment from a wallet of kind %s', (accountType) => {
  const env = { CIRCLE_ACCOUNT_TYPE: accountType }

  test('is sent once for a key and reported step by step', async () => {
    const of = await house(env)
    expect(of.executor.delegation).toMatchObject({
      inFlightMax: 16,
      paysOwnGas: accountType === 'EOA',
    })
    const call = await paymentCall()
    const idempotencyKey = randomUUID()
    circle.fail('execute', 'lost before', 'lost after', { status: 429 }, { status: 500 }, 'silent')
    for (const _lost of [1, 2, 3, 4]) await unavailability(submit(of, call, { idempotencyKey }))
    const ends = new AbortController()
    const silent = unavailability(submit(of, call, { idempotencyKey, signal: ends.signal }))
    await expect.poll(circle.waiting).toBe(1)
    ends.abort()
    await silent
    circle.letGo()
    const accepted = await delegate(of, call, { idempotencyKey })
    expect(accepted).toMatchObject({ state: 'accepted', transactionHash: null, code: null })
    const mined = await until(of, accepted.providerReference, 'mined')
    expect(mined.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await isPaid(call)).toBe(true)
    const again = await delegate(of, call, { idempotencyKey })
    expect(again.providerReference).toBe(accepted.providerReference)
    const made = circle.transactions.filter(({ callData }) => callData === call.data)
    expect(made).toHaveLength(1)
    expect(made[0]).toMatchObject({ idempotencyKey, contractAddress: payer.vault })
  })

  test('that the vault refuses is reported as failed, sent or not', async () => {
    const of = await house(env)
    const call = await paymentCall()
    await payer.configure({ executorAddress: of.address, paused: true })
    const early = await delegate(of, call)
    const refused = await until(of, early.providerReference, 'failed')
    expect(refused).toMatchObject({ transactionHash: null, code: 'estimation_error' })
    circle.destine({ skipsEstimate: true })
    const late = await delegate(of, call)
    const reverted = await until(of, late.providerReference, 'failed')
    expect(reverted).toMatchObject({ code: 'failed_on_chain' })
    const receipt = await real.client.getTransactionReceipt({
      hash: reverted.transactionHash as Hex,
    })
    // A bundle succeeds although the call in it reverts.
    expect(receipt.status).toBe(accountType === 'SCA' ? 'success' : 'reverted')
    expect(receipt.from === of.address).toBe(accountType === 'EOA')
    expect(await isPaid(call)).toBe(false)
  })
})

describe('a report by Circle', () => {
  test('may be late, skip a state or be wrong', async () => {
    const of = await house()
    const call = await paymentCall()
    circle.destine(fates.held)
    const { providerReference } = await delegate(of, call)
    expect(await pollReport(of, providerReference)).toMatchObject({ state: 'accepted' })
    await circle.proceed(providerReference)
    await until(of, providerReference, 'mined')
    const wrong = await paymentCall()
    circle.destine(fates.saidToFail, fates.saidToPay)
    const failed = await delegate(of, wrong)
    const report = await until(of, failed.providerReference, 'failed')
    await real.mined(report.transactionHash as Hex)
    expect(await isPaid(wrong)).toBe(true)
    const unpaid = await paymentCall()
    expect(await delegate(of, unpaid)).toMatchObject({ state: 'mined' })
    expect(await isPaid(unpaid)).toBe(false)
  })
})
