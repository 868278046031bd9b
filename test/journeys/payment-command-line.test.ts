/** Payments by the `circle` program: the vault's log confirms them, whatever it reports. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createCommandLineExecutor } from '#adapters/circle/circle-cli-executor.ts'
import { readExecutorConfig } from '#platform/config/executor.ts'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import { type CircleProgram, startCircleProgram } from '#test/support/circle-program.ts'
import { ageState, ageWords } from '#test/support/circle-treasury.ts'
import { expectPaidOnce } from '#test/support/paid-once.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  submitAutomatic,
  tokenBalance,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startWorker } from '#worker.ts'

let program: CircleProgram
let house: PayingHouse
let before: bigint
let stop: () => Promise<void>

beforeAll(async () => {
  const chain = await startTestChain()
  program = await startCircleProgram({ chain })
  const address = await program.openWallet()
  // The organization is created after the service, and its wallet on request.
  const anybody = { '0198c0de-0000-7000-8000-000000000001': address }
  const config = readExecutorConfig(program.envFor(anybody), { production: false, chainId: 31_337 })
  if (config.provider !== 'command_line') throw new Error('This is not the command line')
  const wallets = Object.assign(new Map<string, string>(), { get: () => address })
  const executor = createCommandLineExecutor({ ...config, wallets })
  const service = await startTestApp({
    env: chain.env,
    replace: { executor },
    hasWorker: true,
  })
  await liftOwnersRowSecurity(service.database)
  const worker = await startWorker(service.ctx)
  stop = async () => {
    await worker.stop()
    await service.stop()
    await program.stop()
    await chain.stop()
  }
  house = await openPayingHouse({ service, chain, stop }, { hasGas: false })
  expect(house.executor.toLowerCase()).toBe(address)
}, 60_000)
afterAll(() => stop())
beforeEach(async () => {
  before = await tokenBalance(house, house.recipient)
})

test('pays an automatic payment and reports its transaction', async () => {
  const expense = await submitAutomatic(house)
  const { payment, receipt } = await expectPaidOnce(house, expense, before)
  const [made] = program.transactions
  expect(payment).toMatchObject({
    executorProviderType: 'agent_stack_cli',
    providerReference: made?.id,
    transactionHash: made?.txHash,
  })
  expect(receipt.status).toBe('success')
})

test('pays an approved payment once, although the program dies before reporting it', async () => {
  program.fail('dies after')
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  await vi.waitFor(() => expect(program.transactions[1]?.state).toBe('CONFIRMED'), 30_000)
  // After a while without a report, the payment is searched for on the chain.
  await ageState(house, expense.paymentId, '10 minutes')
  await ageWords(house, expense.paymentId, '2 minutes')
  await expectPaidOnce(house, expense, before)
  expect(program.transactions).toHaveLength(2)
  expect(program.transactions[1]?.requests).toBe(1)
})
