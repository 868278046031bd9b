/** An API process dies by kill -9 in the middle: no wallet is made twice, no key given twice. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { cleanUp, type Environment, onCleanUp, runScript } from '#test/processes/processes.ts'
import { ask } from '#test/processes/service.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  beginExport,
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
/** What is left when the process is gone. */
let service: TestApp
let holder: Holder

beforeAll(async () => {
  privy = await startPrivyEmulator()
  onCleanUp(() => privy.stop())
  service = await startTestApp({ env: privy.env })
  onCleanUp(() => service.stop())
  holder = await makeHolder(service)
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

/** Asks a process of its own, and kills it while Privy has not answered yet. */
async function killWhile(path: string, body: unknown): Promise<void> {
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

test('while a key is handed over: the request is over, and a new one gives the key', async () => {
  const wallet = await makeServerWallet(service, holder)
  const ceremony = await beginExport(service, holder, wallet)
  privy.fail('export', 'silent')
  const path = `/v1/consumer/wallets/${wallet.id}/export-requests/${ceremony.requestId}/complete`
  await killWhile(path, ceremony.proof)
  expect(outcome(await ceremony.complete())).toBe('409 export_unusable')
  expect(outcome(await ceremony.cancel())).toBe('204')
  const next = await beginExport(service, holder, wallet)
  const done = await next.complete()
  expect(await controls(await openExport(next.keys, done.body), wallet)).toBe(true)
})

test('while a wallet is made: nothing is listed, and the same key ends with one', async () => {
  const before = await listWallets(service, holder)
  const made = privy.wallets.length
  const body = { purpose: 'Killed', idempotencyKey: randomUUID() }
  privy.fail('create', 'silent')
  await killWhile('/v1/consumer/wallets/', body)
  expect(await listWallets(service, holder)).toEqual(before)
  // Whoever died still holds it, for as long as a provider is ever waited for.
  await expect
    .poll(async () => outcome(await postWallet(service, holder, body)), { timeout: 40_000 })
    .toBe('201')
  expect(await listWallets(service, holder)).toHaveLength(before.length + 1)
  expect(privy.wallets).toHaveLength(made + 1)
})
