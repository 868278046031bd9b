/** Requests wait at most 2 s for nodes that accept a call and never answer it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { freshKey, outcome, randomAddress } from '#test/support/steps.ts'
import { randomHash } from '#test/support/treasury.ts'

let service: TestApp
let node: RpcProxy
let organization: Organization

beforeAll(async () => {
  node = await startRpcProxy('http://127.0.0.1:1')
  node.trouble = () => 'silence'
  const env = { RPC_URLS: node.url, TOKEN_ADDRESS: randomAddress() }
  service = await startTestApp({ env })
  const owner = await service.signIn(undefined, [{ address: randomAddress(), kind: 'external' }])
  organization = await createOrganization(service, owner)
  const { path, ownerMembershipId: membershipId } = organization
  const body = { membershipId, walletId: owner.walletIds[0], role: 'treasury_owner' }
  await service.call('POST', `${path}/wallet-roles`, { token: owner.token, body })
})
afterAll(async () => {
  await node.stop()
  await service.stop()
})

const post = (url: string, body: unknown, headers = {}) =>
  service.call('POST', `${organization.path}/${url}`, {
    token: organization.owner.token,
    body,
    headers,
  })

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const began = performance.now()
  return [await work, performance.now() - began]
}

/** 2 s and a margin for a busy machine; the timeout for a node is 5 s, twice. */
const SOON_MS = 9_000

describe('while every node is silent', () => {
  test('confirming an intent returns its current state and keeps the hash', async () => {
    const { body: intent } = await post('vault-deployments/prepare', { label: 'Main' }, freshKey())
    const transactionHash = randomHash()
    const url = `vault-deployments/${intent.id}/confirm`
    const [confirmed, took] = await timed(post(url, { transactionHash }))
    expect([confirmed.status, confirmed.body.state]).toEqual([200, 'submitted'])
    expect(confirmed.body.transactionHash).toBe(transactionHash)
    expect(node.calls.length).toBeGreaterThan(0)
    expect(took).toBeLessThan(SOON_MS)
  })

  test('syncing a policy answers 503 dependency_unavailable', async () => {
    const body = { chainTransactionHash: randomHash() }
    const [answer, took] = await timed(post('policies/sync', body))
    expect(outcome(answer)).toBe('503 dependency_unavailable')
    expect(took).toBeLessThan(SOON_MS)
  })
})
