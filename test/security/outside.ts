/** A valid body for each route that takes one and belongs to no organization. */
import { randomUUID } from 'node:crypto'
import { bodyOf } from '#test/push/steps.ts'
import { randomAddress } from '#test/security/house.ts'

const proofs = '/v1/admin/organizations/:organizationId/integration-proofs/ledger/signatures'
const exports = 'wallets/:walletId/export-requests'
const completion = {
  recipientPublicKey: 'a key',
  authorizationSignature: 'a signature',
  mfaAssertion: 'an assertion',
}

export const outside: Record<string, () => unknown> = {
  'PUT /v1/consumer/session': () => ({ identityToken: 'x' }),
  'PATCH /v1/consumer/me': () => ({ displayName: 'Mass assignment' }),
  'PUT /v1/admin/session': () => ({}),
  'POST /v1/consumer/organizations': () => ({ name: 'Mass assignment' }),
  'POST /v1/consumer/invitations/:token/accept': () => undefined,
  'POST /v1/consumer/wallets/link-challenges': () => ({ address: randomAddress() }),
  'POST /v1/consumer/wallets/links': () => ({ challengeId: randomUUID(), signature: '0x00' }),
  'POST /v1/consumer/wallets/:walletId/unlink': () => undefined,
  'POST /v1/consumer/push/subscriptions': () => bodyOf(),
  'DELETE /v1/consumer/push/subscriptions': () => ({ endpoint: bodyOf().endpoint }),
  'PUT /v1/consumer/notification-preferences': () => ({
    preferences: [{ category: 'review_needed', email: false }],
  }),
  'POST /v1/consumer/email-unsubscriptions/:unsubscribeToken': () => undefined,
  'DELETE /v1/consumer/push/subscriptions/:subscriptionId': () => undefined,
  'POST /v1/admin/organizations/:organizationId/executor/reconcile': () => undefined,
  'POST /v1/admin/support-cases/:caseId/notes': () => ({ body: 'We are looking.' }),
  [`POST ${proofs}`]: () => ({
    kind: 'deployment',
    signer: randomAddress(),
    owner: randomAddress(),
  }),
  [`POST ${proofs}/:id/claim`]: () => undefined,
  [`POST ${proofs}/:id/confirm`]: () => ({ hash: `0x${'ab'.repeat(32)}` }),
  ...Object.fromEntries(
    ['consumer', 'admin'].flatMap((realm) => [
      [`POST /v1/${realm}/wallets/`, () => ({ purpose: 'Payroll', idempotencyKey: randomUUID() })],
      [`POST /v1/${realm}/${exports}`, () => ({ recipientPublicKey: 'a key' })],
      [`POST /v1/${realm}/${exports}/:requestId/complete`, () => completion],
      [`POST /v1/${realm}/${exports}/:requestId/cancel`, () => undefined],
    ]),
  ),
}
