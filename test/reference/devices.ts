/** Wallets, devices and endpoints that people connect, and what reaches them. */
import { createUnsubscribeToken } from '#email/unsubscribe-token.ts'
import { makeDevice } from '#test/push/device.ts'
import { eventOf } from '#test/push/steps.ts'
import type { Company } from '#test/reference/people.ts'
import { type Caller, type Stage, until } from '#test/reference/stage.ts'
import { assertionOf, type Holder, makeRecipientKeys, signPayload } from '#test/support/exports.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { newKey } from '#test/support/wallet-links.ts'

/** A wallet that its holder links by a signature and unlinks again. */
export async function linkWallet({ stage, ben }: Company): Promise<void> {
  const key = newKey()
  const wallets = '/v1/consumer/wallets'
  const { challengeId, message } = await stage.post(ben, `${wallets}/link-challenges`, {
    body: { address: key.address, chainType: 'ethereum' },
  })
  const signature = await key.signMessage({ message })
  const { id } = await stage.post(ben, `${wallets}/links`, { body: { challengeId, signature } })
  await stage.get(ben, '/v1/consumer/me')
  await stage.post(ben, `${wallets}/${id}/unlink`)
}

/** A server wallet whose key its holder exports, after one attempt that they cancel. */
async function exportKey(stage: Stage, holder: Holder, purpose: string): Promise<void> {
  const wallets = `/v1/${holder.realm}/wallets`
  const body = { chainType: 'ethereum', purpose, idempotencyKey: `${holder.subject}-1` }
  const { id } = await stage.post(holder, wallets, { body })
  await stage.get(holder, `${wallets}?limit=2`)
  const keys = makeRecipientKeys()
  const recipientPublicKey = keys.publicKey
  const url = `${wallets}/${id}/export-requests`
  const first = await stage.post(holder, url, { body: { recipientPublicKey } })
  await stage.post(holder, `${url}/${first.requestId}/cancel`)
  const asked = await stage.post(holder, url, { body: { recipientPublicKey } })
  const proof = {
    recipientPublicKey,
    authorizationSignature: signPayload(asked.authorizationPayload, keys.privateKey),
    mfaAssertion: await assertionOf(stage.treasury.service, holder, { nonce: asked.requestId }),
  }
  await stage.post(holder, `${url}/${asked.requestId}/complete`, { body: proof })
}

export async function exportKeys({ stage, ben, priya }: Company): Promise<void> {
  await exportKey(stage, { realm: 'consumer', ...ben }, 'Travel advances')
  await exportKey(stage, { realm: 'admin', ...priya }, 'Test payments')
}

/** Browsers of a manager, and which messages he wants. */
export async function useDevices(company: Company, waitingExpenseId: string): Promise<void> {
  const { stage, ben } = company
  const { service } = stage.treasury
  await stage.get(ben, '/v1/consumer/push/config')
  const url = '/v1/consumer/push/subscriptions'
  const add = (name: string, deviceLabel: string) => {
    const endpoint = `https://updates.push.example/wpush/v2/${name}`
    const body = { endpoint, expirationTime: null, keys: makeDevice().keys, deviceLabel }
    return stage.post(ben, url, { body })
  }
  const tablet = await add('gAAAAABm-tablet-5Qw9', "Ben's tablet")
  await add('gAAAAABm-phone-7Kx2', "Ben's phone")
  await stage.get(ben, url)
  await stage.send('DELETE', `${url}/${tablet.id}`, { who: ben })
  const endpoint = 'https://updates.push.example/wpush/v2/gAAAAABm-phone-7Kx2'
  await stage.send('DELETE', url, { who: ben, body: { endpoint } })
  await liftOwnersRowSecurity(service.database)
  const about = { aggregateId: waitingExpenseId, targetState: 'needs_review' }
  await stage.get(ben, `/v1/consumer/notifications/${await eventOf(service, about)}`)
  const preferences = '/v1/consumer/notification-preferences'
  const chosen = [
    { category: 'review_needed', push: true, email: false },
    { category: 'payment_confirmed', push: false, email: true },
  ]
  await stage.send('PUT', preferences, { who: ben, body: { preferences: chosen } })
  await stage.get(ben, preferences)
  const token = createUnsubscribeToken(service.ctx.secrets.unsubscribeKey, {
    accountId: ben.accountId,
    category: 'payment_confirmed',
    at: service.ctx.clock.now(),
  })
  await stage.send('POST', `/v1/consumer/email-unsubscriptions/${token}`)
}

/** Endpoints of the company's own systems; one is gone, is enabled again and deleted. */
export async function useWebhooks({ stage, path, ana }: Company): Promise<void> {
  const url = `${path}/webhooks`
  const kinds = ['payment.changed', 'expense.changed']
  const add = (host: string) =>
    stage.post(ana, url, {
      body: { url: `https://${host}.northwind.example/countersign`, kinds },
      key: `webhook-${host}`,
    })
  const staging = await add('staging-hooks')
  const { id } = await add('hooks')
  const isDisabled = ({ webhooks }: { webhooks: { id: string; state: string }[] }) =>
    webhooks.some((webhook) => webhook.id === staging.id && webhook.state === 'disabled')
  stage.receiverAnswers.push({ outcome: 'gone', statusCode: 410 })
  await stage.post(ana, `${url}/${staging.id}/ping`)
  await until(() => stage.get(ana, url), isDisabled)
  await stage.post(ana, `${url}/${staging.id}/enable`)
  await stage.send('DELETE', `${url}/${staging.id}`, { who: ana })
  await stage.post(ana, `${url}/${id}/rotate-secret`, { key: 'rotate-2026-11' })
  await stage.post(ana, `${url}/${id}/ping`)
  await until(
    () => stage.get(ana, `${url}/${id}/deliveries?limit=2`),
    ({ deliveries }) => deliveries.length > 0,
  )
}

/** Where a client begins to follow events. */
export async function findCursors({ stage, path, ana, priya }: Company): Promise<Cursors> {
  const { cursor: consumer } = await stage.get(ana, `${path}/live/snapshot`)
  const { cursor: admin } = await stage.get(priya, '/v1/admin/live/snapshot')
  return { consumer, admin }
}

type Cursors = { consumer: string; admin: string }

/** Snapshots with their ETags, and the events since the cursors. */
export async function followEvents(company: Company, cursors: Cursors): Promise<void> {
  const { stage, path, ana, priya } = company
  const readTwice = async (url: string, who?: Caller) => {
    const { headers } = await stage.send('GET', url, who && { who })
    const known = { 'if-none-match': String(headers.etag) }
    await stage.call('GET', url, { ...(who && { token: who.token }), headers: known })
  }
  await readTwice('/v1/consumer/config')
  await readTwice(`${path}/live/snapshot`, ana)
  await readTwice('/v1/admin/live/snapshot', priya)
  const stream = (url: string, who: Caller, cursor: string) => {
    const headers = { 'last-event-id': cursor }
    return stage.send('GET', `${url}?cursor=${encodeURIComponent(cursor)}`, { who, headers })
  }
  await stream(`${path}/live/stream`, ana, cursors.consumer)
  await stream('/v1/admin/live/stream', priya, cursors.admin)
}
