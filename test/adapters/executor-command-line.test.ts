/** The `circle` program as an executor: its invocation and the interpretation of its output. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callArguments, createCommandLineExecutor } from '#adapters/circle/circle-cli-executor.ts'
import { readExecutorConfig } from '#platform/config/executor.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type CircleProgram, startCircleProgram } from '#test/support/circle-program.ts'
import { type Fate, fates } from '#test/support/circle-transactions.ts'
import { type Delegated, delegate, submit, unavailability } from './circle.ts'
import { openPayer, type Payer } from './payer.ts'

const organizationId = randomUUID()

let real: TestChain
let payer: Payer
let program: CircleProgram
let address: string

const executorOf = (change: Record<string, string> = {}, executeWithinMs = 20_000) => {
  const env = { ...program.envFor({ [organizationId]: address }), ...change }
  const config = readExecutorConfig(env, { production: true, chainId: 31_337 })
  if (config.provider !== 'command_line') throw new Error('This is not the command line')
  return createCommandLineExecutor({ ...config, executeWithinMs })
}

beforeAll(async () => {
  real = await startTestChain()
  payer = await openPayer(real)
  program = await startCircleProgram({ chain: real })
  address = await program.openWallet()
  await payer.configure(terms())
})
afterAll(async () => {
  await program.stop()
  await real.stop()
})

/** Amounts above 200 need two approvers. */
const terms = () => ({
  executorAddress: address,
  automaticCap: 200n,
  tiers: [{ above: 200n, approvals: 2 }],
  approverAddresses: approvers().map((approver) => approver.address.toLowerCase()),
})
const approvers = () => [payer.approver, payer.bench.approver]

const house = (executor = executorOf()): Delegated => ({
  executor,
  key: { address, reference: Buffer.from(address) },
  address,
})

/** With no signature, or with as many as the amount needs. */
const paymentCall = async (signatures = 0): Promise<VaultCall> => {
  const amount = signatures === 2 ? 201n : 100n
  const signed = () => payer.signedOrder({ amount }, approvers().slice(0, signatures))
  return payer.bench.chain.paymentCall(await (signatures > 0 ? signed() : payer.order()))
}

const isPaid = (call: VaultCall) =>
  real.client.readContract({
    address: payer.vault,
    abi: vaultAbi,
    functionName: 'paymentExecuted',
    args: [`0x${call.data.slice(10, 74)}` as Hex],
  })

describe('a payment', () => {
  test.each([
    ['automatic', 0],
    ['approved', 1],
    ['approved twice', 2],
  ])('that is %s is passed argument by argument and paid', async (_kind, signatures) => {
    const call = await paymentCall(signatures)
    const idempotencyKey = randomUUID()
    const report = await delegate(house(), call, { idempotencyKey })
    expect(report).toMatchObject({ state: 'mined', code: null })
    expect(report.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await isPaid(call)).toBe(true)
    const { argv = [] } = program.runs.at(-1) ?? {}
    const [signature = '', ...args] = argv.slice(2)
    const order = 'bytes32,address,uint256,uint64,bytes32,bytes32,uint64'
    const approved = `executeApproved(${order},bytes)`
    expect(signature).toBe(signatures > 0 ? approved : `executeAutomatic(${order})`)
    const told = signatures > 0 ? 8 : 7
    expect(args.slice(told)).toEqual(
      ['--contract', payer.vault, '--address', address, '--chain', 'ETH-SEPOLIA'].concat([
        '--idempotency-key',
        idempotencyKey,
        '--output',
        'json',
      ]),
    )
    expect(program.transactions.at(-1)).toMatchObject({ callData: call.data, requests: 1 })
  })

  test('gives the program only a home and a path', async () => {
    await delegate(house(), await paymentCall())
    const { env, cwd, stdin } = program.runs.at(-1) ?? {}
    expect(env).toEqual({ HOME: program.home, PATH: expect.any(String), NO_COLOR: '1' })
    expect([cwd, stdin]).toEqual([program.home, ''])
  })

  test('with the same key is the same one, whatever happened to the first', async () => {
    const call = await paymentCall()
    const idempotencyKey = randomUUID()
    program.fail('dies before', 'dies after', { prints: '{"data":{}}' }, { prints: 'paid' })
    for (const _lost of [1, 2, 3, 4]) {
      const reason = await unavailability(submit(house(), call, { idempotencyKey }))
      expect(reason).toBe('The program circle printed no transaction')
    }
    expect(await delegate(house(), call, { idempotencyKey })).toMatchObject({ state: 'mined' })
    const made = program.transactions.filter((each) => each.idempotencyKey === idempotencyKey)
    expect(made.map(({ requests }) => requests)).toEqual([4])
    expect(await isPaid(call)).toBe(true)
  })

  test('that the vault refuses has failed, also when the exit code says so', async () => {
    await payer.configure({ ...terms(), paused: true })
    const call = await paymentCall()
    expect(await delegate(house(), call)).toMatchObject({ state: 'failed', transactionHash: null })
    await payer.configure(terms())
    expect(await isPaid(call)).toBe(false)
  })

  test.each([
    ['denied', fates.denied, 'denied'],
    ['cancelled', fates.cancelled, 'cancelled'],
    ['stuck', fates.stuck, 'stuck'],
    ['not sent yet', fates.held, 'accepted'],
  ] as [string, Fate, string][])('may be %s', async (_what, fate, state) => {
    program.destine(fate)
    expect(await delegate(house(), await paymentCall())).toMatchObject({ state })
  })
})

describe('inconclusive output', () => {
  const sent = { id: randomUUID(), state: 'SENT' }
  test.each([
    ['an error', { prints: '{"error":{"code":"LIMIT","message":"canary"}}', exit: 1 }],
    ['invalid JSON', { prints: 'Sent, canary!' }],
    ['a list', { prints: '[]' }],
    ['no hash', { prints: '{"data":{"id":"a","state":"SENT","txHash":"0x1"}}' }],
    ['oversized output', { prints: JSON.stringify({ data: { ...sent, x: 'x'.repeat(300_000) } }) }],
  ])('such as %s is not a refusal', async (_what, fault) => {
    program.fail(fault)
    const reason = await unavailability(submit(house(), await paymentCall()))
    expect(reason).toBe('The program circle printed no transaction')
  })

  const within = async (work: Promise<unknown>) => {
    const startedAt = performance.now()
    await unavailability(work)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  }

  test('a program that exceeds its time-out is killed', async () => {
    const sleeper = join(program.home, 'sleeper')
    await writeFile(sleeper, '#!/bin/sh\nexec /bin/sleep 600\n', { mode: 0o700 })
    const executor = executorOf({ COMMAND_LINE_PROGRAM: sleeper }, 300)
    await within(submit(house(executor), await paymentCall()))
  })

  test('a program that hangs is killed when we stop', async () => {
    program.fail('hangs')
    const before = program.runs.length
    const ends = new AbortController()
    const stopped = submit(house(), await paymentCall(), { signal: ends.signal })
    await vi.waitFor(() => expect(program.runs.length).toBe(before + 1), 30_000)
    ends.abort()
    await within(stopped)
    const { pid = 0 } = program.runs.at(-1) ?? {}
    expect(pid).toBeGreaterThan(1)
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 30_000)
  })

  test('a missing program is unavailable', async () => {
    const executor = executorOf({ COMMAND_LINE_PROGRAM: `${program.path}-not` })
    await unavailability(submit(house(executor), await paymentCall()))
    const reason = await unavailability(executor.check())
    expect(reason).toBe('The program circle did not print its status')
  })
})

describe('the wallet', () => {
  test('is the one created for the organization', async () => {
    const executor = executorOf()
    const provisioningId = randomUUID()
    expect(await executor.provision({ organizationId, provisioningId })).toEqual({
      address,
      reference: Buffer.from(address),
    })
    const other = { organizationId: randomUUID(), provisioningId }
    expect(await unavailability(executor.provision(other))).toMatch(/no wallet for this org/)
    const reference = Buffer.from(address)
    expect(await executor.holdsKey({ organizationId, address, reference })).toBe(true)
    expect(await executor.holdsKey({ ...other, address, reference })).toBe(false)
    expect(executor.delegation).toMatchObject({ inFlightMax: 1, paysOwnGas: false })
    expect(executor.delegation.poll).toBeUndefined()
  })

  test('pays only while its session lasts', async () => {
    const executor = executorOf()
    expect(await executor.check()).toBe('ready')
    program.setSession('EXPIRED')
    expect(await executor.check()).toBe('rejects_credentials')
    const call = await paymentCall()
    await unavailability(submit(house(), call))
    program.setSession('VALID')
    expect(await executor.check()).toBe('ready')
    expect(await isPaid(call)).toBe(false)
  })
})

describe('a call', () => {
  test('other than a payment of the vault is never passed to the program', async () => {
    const { data } = await paymentCall()
    expect(callArguments({ data })).toHaveLength(8)
    const args = [1n, payer.vault as Address] as const
    const look = encodeFunctionData({ abi: vaultAbi, functionName: 'isApprover', args })
    const { data: activation } = payer.bench.chain.policyActivation({
      vaultAddress: payer.vault,
      expectedVersion: 1,
      policy: payer.policyOf(),
    })
    for (const other of [look, activation, `${data}00`]) {
      expect(() => callArguments({ data: other })).toThrow(
        'The program circle cannot encode this call',
      )
    }
    expect(() => callArguments({ data: '0x12345678' })).toThrow()
  })
})
