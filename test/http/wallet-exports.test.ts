import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import {
  beginExport,
  begunExport,
  type Ceremony,
  controls,
  exportState,
  type Holder,
  makeHolder,
  makeRecipientKeys,
  makeServerWallet,
  openExport,
  pemOf,
  type Realm,
  requestExport,
} from '#test/support/exports.ts'
import {
  auditTrail,
  liftOwnersRowSecurity,
  liveTrail,
  outcome,
  tally,
  times,
} from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const begin = (realm?: Realm) => begunExport(service, realm)
const stateOf = (ceremony: Ceremony) => exportState(service, ceremony)

const UNUSABLE = '409 export_unusable'

describe.each(['consumer', 'admin'] as const)('in the %s realm', (realm) => {
  test.each(['ethereum', 'solana'] as const)(
    'exports a %s key that controls the address to its holder',
    async (chainType) => {
      const holder = await makeHolder(service, realm)
      const wallet = await makeServerWallet(service, holder, { chainType })
      const ceremony = await beginExport(service, holder, wallet)
      const { status, body, headers } = await ceremony.complete()
      expect(status).toBe(200)
      expect(body).toMatchObject({ encryptionType: 'HPKE', requestId: ceremony.requestId })
      expect(headers['cache-control']).toBe('no-store')
      const key = await openExport(ceremony.keys, body)
      expect(await controls(key, wallet)).toBe(true)
      await expect(openExport(makeRecipientKeys(), body)).rejects.toThrow()
    },
  )

  test('states what is requested and until when in the payload', async () => {
    const { payload, requestId, wallet, keys } = await begin(realm)
    expect(payload).toEqual({
      version: 1,
      method: 'POST',
      url: `countersign://keystore/wallets/${wallet.id}/export`,
      headers: {},
      body: { encryption_type: 'HPKE', recipient_public_key: keys.publicKey },
      requestId,
      expiresAt: expect.stringMatching(/Z$/),
    })
    const left = Date.parse(String(payload.expiresAt)) - Date.now()
    expect(left).toBeGreaterThan(200_000)
    expect(left).toBeLessThanOrEqual(300_000)
  })
})

describe('the recipient key', () => {
  test('may be given as a raw point and as SPKI for the same key', async () => {
    const holder = await makeHolder(service)
    const wallet = await makeServerWallet(service, holder)
    const keys = makeRecipientKeys()
    const raw = { ...keys, publicKey: keys.rawPoint }
    const ceremony = await beginExport(service, holder, wallet, raw)
    expect(ceremony.payload.body).toMatchObject({ recipient_public_key: keys.publicKey })
    const done = await ceremony.complete({ recipientPublicKey: keys.publicKey })
    expect(await controls(await openExport(keys, done.body), wallet)).toBe(true)
  })

  test('of any other kind is 400 and creates no request', async () => {
    const holder = await makeHolder(service)
    const { id: walletId } = await makeServerWallet(service, holder)
    const { publicKey, rawPoint, ...keys } = makeRecipientKeys()
    const point = Buffer.from(rawPoint, 'base64')
    const off = Buffer.from(point)
    off[64] = (off[64] ?? 0) ^ 1
    const compressed = Buffer.concat([Buffer.from([2]), point.subarray(1, 33)])
    const bad = [
      ...[publicKey.slice(0, -4), `${publicKey}AAAA`, publicKey.replace(/^M/, 'N'), 'x', '!'],
      ...[publicKey.replaceAll('+', '-').replaceAll('/', '_').replace(/=*$/, '~'), ` ${publicKey}`],
      ...[
        off.toString('base64'),
        compressed.toString('base64'),
        Buffer.alloc(65).toString('base64'),
      ],
      ...[
        Buffer.from([4, ...new Uint8Array(64)]).toString('base64'),
        pemOf({ publicKey, rawPoint, ...keys }),
      ],
    ]
    for (const recipientPublicKey of bad) {
      const refused = await requestExport(service, holder, { walletId, recipientPublicKey })
      expect(outcome(refused), recipientPublicKey).toBe('400 validation_failed')
    }
    const made = await service.database.asOwner(
      'select 1 from wallet_exports where wallet_id = $1',
      [walletId],
    )
    expect(made).toEqual([])
  })
})

describe('one request returns one ciphertext', () => {
  test('and a second completion is 409', async () => {
    const ceremony = await begin()
    expect(outcome(await ceremony.complete())).toBe('200')
    for (const _again of [1, 2, 3, 4]) expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    expect(await stateOf(ceremony)).toBe('completed')
  })

  test('for ten concurrent completions: one is 200, nine are 409', async () => {
    const ceremony = await begin()
    const answers = await Promise.all(times(10, () => ceremony.complete()))
    expect(tally(answers)).toEqual({ 200: 1, [UNUSABLE]: 9 })
  })

  test('and ends with 500 when the provider throws, without another attempt', async () => {
    const ceremony = await begin()
    const { walletProvider: right } = service.ctx
    if (!right) throw new Error('There is no provider')
    let asked = 0
    service.ctx.walletProvider = {
      ...right,
      exportKey: () => {
        asked += 1
        return Promise.reject(new Error('crash'))
      },
    }
    expect((await ceremony.complete()).status).toBe(500)
    service.ctx.walletProvider = right
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    expect(outcome(await ceremony.cancel())).toBe('204')
    expect([asked, await stateOf(ceremony)]).toEqual([1, 'completing'])
    const next = await beginExport(service, ceremony.holder, ceremony.wallet)
    expect(outcome(await next.complete())).toBe('200')
  })

  test('and none after a crash between export and answer', async () => {
    const ceremony = await begin()
    const { walletProvider: right } = service.ctx
    if (!right) throw new Error('There is no provider')
    service.ctx.walletProvider = {
      ...right,
      exportKey: async (input) => {
        const sealed = await right.exportKey(input)
        await service.database.asOwner(
          `update wallet_exports set state = 'expired' where id = $1`,
          [ceremony.requestId],
        )
        return sealed
      },
    }
    const answer = await ceremony.complete()
    service.ctx.walletProvider = right
    expect(outcome(answer)).toBe(UNUSABLE)
    expect(answer.text).not.toContain('ciphertext')
  })
})

describe('the audit trail of an export', () => {
  test('records every step for the organization, with live events', async () => {
    const { id: organizationId, owner } = await createOrganization(service)
    const holder: Holder = { realm: 'consumer', ...owner }
    const wallet = await makeServerWallet(service, holder, { organizationId })
    const ceremony = await beginExport(service, holder, wallet)
    await ceremony.complete({ authorizationSignature: 'wrong' })
    await ceremony.complete()
    await (await beginExport(service, holder, wallet)).cancel()
    const trail = await auditTrail(service.database, organizationId)
    const told = trail.filter(({ aggregateType }) => aggregateType === 'wallet_export')
    expect(told.map(({ action }) => action)).toEqual([
      'wallet_export.requested',
      'wallet_export.refused',
      'wallet_export.claimed',
      'wallet_export.completed',
      'wallet_export.requested',
      'wallet_export.cancelled',
    ])
    for (const { data, actorAccountId } of told) {
      expect([data.walletId, actorAccountId]).toEqual([wallet.id, owner.accountId])
    }
    const live = await liveTrail(service.database, organizationId)
    const completed = live.find(({ code }) => code === 'wallet_export_completed')
    expect(completed).toMatchObject({ kind: 'integration.changed', severity: 'action_required' })
  })
})
