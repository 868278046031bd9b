/**
 * A worker or an API process dies by kill -9: no wallet is created twice, no key exported twice.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  cleanUp,
  type Environment,
  onCleanUp,
  type Running,
  runScript,
} from '#test/processes/processes.ts'
import { ask } from '#test/processes/service.ts'
import { type Answer, startTestApp, type TestApp } from '#test/support/app.ts'
import {
  beginExport,
  type Ceremony,
  controls,
  type Holder,
  listWallets,
  makeHolder,
  makeServerWallet,
  openExport,
  postWallet,
} from '#test/support/exports.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { outcome } from '#test/support/steps.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let privy: PrivyEmulator
/** What remains when the process is gone. */
let service: TestApp
let holder: Holder
let worker: Running

beforeAll(async () => {
  privy = await startPrivyEmulator()
  onCleanUp(() => privy.stop())
  service = await startTestApp({ env: privy.env, hasWorker: true })
  onCleanUp(() => service.stop())
  holder = await makeHolder(service)
  worker = await startWorker()
})
afterAll(cleanUp)

function environment(): Environment {
  const { config } = service.ctx
  const realm = (name: 'consumer' | 'admin') => {
    const { issuer, audience, jwksUrl } = config.identity[name]
    const prefix = name.toUpperCase()
    return {
      [`${prefix}_ISSUER`]: issuer,
      [`${prefix}_AUDIENCE`]: audience,
      [`${prefix}_JWKS_URL`]: jwksUrl,
    }
  }
  return {
    // Processes count requests together, so their limits must be the same.
    RATE_LIMIT_PER_ACCOUNT: String(config.rateLimit.perAccount),
    RATE_LIMIT_PER_ADDRESS: String(config.rateLimit.perAddress),
    PORT: '0',
    DATABASE_URL: service.database.url,
    SERVER_SECRET: config.serverSecret,
    RPC_URLS: config.chain.rpcUrls.join(','),
    TOKEN_ADDRESS: config.chain.tokenAddress,
    ...realm('consumer'),
    ...realm('admin'),
    ...privy.env,
  }
}

async function startWorker(): Promise<Running> {
  const started = runScript('src/worker.ts', environment())
  await started.says(/"msg":"worker running"/)
  return started
}

/** Sends a request to its own API process, and kills that while the worker waits for Privy. */
async function killApiWhile(path: string, body: unknown): Promise<void> {
  const running = runScript('src/main.ts', environment())
  const [, url = ''] = await running.says(/"url":"([^"]+)","msg":"api listening"/)
  const before = privy.waiting()
  const asked = ask('POST', `${url}${path}`, { token: holder.token, body }).catch(() => 'gone')
  await expect.poll(privy.waiting, { timeout: 30_000 }).toBe(before + 1)
  running.kill('SIGKILL')
  await running.ended
  expect(await asked).toBe('gone')
  privy.letGo()
}

/** Expects that the request has ended and that a new one exports the key. */
async function expectOver(ceremony: Ceremony): Promise<void> {
  expect(outcome(await ceremony.complete())).toBe('409 export_unusable')
  expect(outcome(await ceremony.cancel())).toBe('204')
  const next = await beginExport(service, holder, ceremony.wallet)
  const done = await next.complete()
  expect(await controls(await openExport(next.keys, done.body), ceremony.wallet)).toBe(true)
}

/** Kills the worker while it waits for Privy to answer them all, and starts another. */
async function killWorkerDuring(ask: () => Promise<Answer>[]): Promise<string[]> {
  const before = privy.waiting()
  const asked = ask()
  await vi.waitFor(() => expect(privy.waiting()).toBe(before + asked.length), 30_000)
  worker.kill('SIGKILL')
  await worker.ended
  privy.letGo()
  worker = await startWorker()
  return (await Promise.all(asked)).map(outcome)
}

test('ends the request when the API process dies while waiting for the key', async () => {
  const wallet = await makeServerWallet(service, holder)
  const ceremony = await beginExport(service, holder, wallet)
  privy.fail('export', 'silent')
  const path = `/v1/consumer/wallets/${wallet.id}/export-requests/${ceremony.requestId}/complete`
  await killApiWhile(path, ceremony.proof)
  await expectOver(ceremony)
})

describe('when the worker dies while exporting a key and creating a wallet', () => {
  const body = { purpose: 'Killed', idempotencyKey: randomUUID() }
  let ceremony: Ceremony
  let before: Awaited<ReturnType<typeof listWallets>>
  let made: number
  let answers: string[]

  // One death for both: each answer comes only when the API has waited long enough.
  beforeAll(async () => {
    ceremony = await beginExport(service, holder, await makeServerWallet(service, holder))
    before = await listWallets(service, holder)
    made = privy.wallets.length
    privy.fail('export', 'silent')
    privy.fail('create', 'silent')
    answers = await killWorkerDuring(() => [ceremony.complete(), postWallet(service, holder, body)])
  })

  test('both are answered with 503, and no wallet is there', async () => {
    expect(answers).toEqual(['503 dependency_unavailable', '503 dependency_unavailable'])
    expect(await listWallets(service, holder)).toEqual(before)
  })

  test('the request for the key has ended', () => expectOver(ceremony))

  test('one wallet is created for the idempotency key', async () => {
    // The dead worker's lease lasts as long as the longest wait for a provider.
    await expect
      .poll(async () => outcome(await postWallet(service, holder, body)), { timeout: 40_000 })
      .toBe('201')
    expect(await listWallets(service, holder)).toHaveLength(before.length + 1)
    expect(privy.wallets).toHaveLength(made + 1)
  })
})

test('is 503 without a worker, and the same request succeeds once one runs', async () => {
  const wallet = await makeServerWallet(service, holder)
  const ceremony = await beginExport(service, holder, wallet)
  worker.kill('SIGKILL')
  await worker.ended
  const refused = await ceremony.complete()
  expect(outcome(refused)).toBe('503 dependency_unavailable')
  expect(refused.headers['retry-after']).toBeDefined()
  worker = await startWorker()
  const done = await ceremony.complete()
  expect(await controls(await openExport(ceremony.keys, done.body), wallet)).toBe(true)
})
