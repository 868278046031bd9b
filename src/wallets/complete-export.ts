/**
 * The second step of an export. What was asked for is proven first; then one claim, which nobody
 * gets twice; then the provider; then the end. Whatever breaks after the claim ends the request:
 * rather no ciphertext than two.
 */
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { AppError, type FailedCheck } from '#platform/errors.ts'
import type { FreshAssertion } from '#ports/identity-provider.ts'
import type { SealedKey } from '#ports/wallet-provider.ts'
import {
  type ExportableWallet,
  type ExportRequest,
  findExport,
  lockExportableWallet,
  updateExportTries,
} from './exports.store.ts'
import { type ExportContext, moveExport, recordExport } from './move-export.ts'
import { type Holder, scopeOf } from './move-wallet.ts'
import { providerOf } from './provision-wallet.ts'
import { isSignedBy, type RecipientKey, readRecipientKey } from './recipient-key.ts'
import { payloadOf, refuseLocked } from './request-export.ts'
import { provesTwoFactors } from './two-factors.ts'

const TRIES_MAX = 3
const LOCKED_SECONDS = 24 * 60 * 60
const AUTHENTICATED_SECONDS = 300
const CLOCK_TOLERANCE_SECONDS = 5
const FOUND_MAX = 120

export type CompleteExport = {
  holder: Holder & { issuer: string; subject: string }
  walletId: string
  requestId: string
  recipientPublicKey: string
  authorizationSignature: string
  mfaAssertion: string
}

export type CompletedExport = SealedKey & {
  encryptionType: 'HPKE'
  expiresAt: string
  requestId: string
}

/** As one transaction saw them. */
type Ceremony = { request: ExportRequest; wallet: ExportableWallet }

export async function completeExport(
  ctx: ExportContext,
  input: CompleteExport,
): Promise<CompletedExport> {
  const { accountId } = input.holder
  const recipient = readRecipientKey(input.recipientPublicKey)
  const asked = await ctx.db.transaction({ accountId }, (tx) => look(ctx, tx, input, recipient))
  const provider = providerOf(ctx, asked.wallet.provider ?? undefined)
  const failed = await failedProof(ctx, input, { ...asked, recipient })

  const scope = scopeOf(asked.wallet)
  const claimed = await ctx.db.transaction(scope, async (tx) => {
    const ceremony = await look(ctx, tx, input, recipient)
    return failed ? count(ctx, tx, ceremony, input.holder) : claim(ctx, tx, ceremony, input.holder)
  })
  if (!claimed) throw new AppError('fresh_authentication_required', { failed })

  const { request, wallet } = claimed
  const { id: requestId, expiresAt } = request
  const sealed = await provider.exportKey({
    ...{ ...wallet, requestId, expiresAt },
    recipientPublicKey: recipient.spki,
  })
  if (sealed.outcome === 'refused') {
    throw new AppError('export_unusable', {
      message: 'The wallet provider refused to hand this key over. Ask the operator.',
    })
  }
  await ctx.db.transaction(scope, (tx) => finish(ctx, tx, claimed, input.holder))
  const { encapsulatedKey, ciphertext } = sealed
  return { encryptionType: 'HPKE', encapsulatedKey, ciphertext, expiresAt, requestId }
}

/** State and time first, then the key: of a request that is over nothing more is told. */
async function look(
  ctx: ExportContext,
  tx: Tx,
  { walletId, requestId, holder: { accountId } }: CompleteExport,
  recipient: RecipientKey,
): Promise<Ceremony> {
  const wallet = await lockExportableWallet(tx, { walletId, accountId })
  const request = wallet && (await findExport(tx, { requestId, accountId }))
  if (!request || request.walletId !== walletId) throw new AppError('not_found')
  const now = ctx.clock.now().getTime()
  refuseLocked(ctx, wallet)
  const isOpen = request.state === 'pending' && timestampToMilliseconds(request.expiresAt) > now
  if (!isOpen || wallet.state !== 'active') throw new AppError('export_unusable')
  if (!request.recipientKeyHash.equals(recipient.hash)) {
    throw new AppError('export_unusable', {
      message: 'This request was made for another recipient key. Make a new one.',
    })
  }
  return { request, wallet }
}

/** The first proof that does not hold; undefined when all do. */
async function failedProof(
  ctx: ExportContext,
  { holder, requestId, authorizationSignature: signature, mfaAssertion: token }: CompleteExport,
  { request, wallet, recipient }: Ceremony & { recipient: RecipientKey },
): Promise<FailedCheck | undefined> {
  const provider = providerOf(ctx, wallet.provider ?? undefined)
  const { expiresAt } = request
  const payload = payloadOf(provider, wallet, { requestId, expiresAt, spki: recipient.spki })
  if (!isSignedBy(recipient, { payload, signature })) return WRONG_SIGNATURE
  const verdict = await ctx.identity.verifyAssertion({ realm: holder.realm, token })
  if (verdict.outcome === 'invalid') return verdict.failed
  const nowSeconds = Math.floor(ctx.clock.now().getTime() / 1000)
  return failedClaim(verdict.claims, { holder, requestId, nowSeconds })
}

const WRONG_SIGNATURE: FailedCheck = {
  credential: 'authorization_signature',
  claim: 'signature',
  expected: 'the recipient key over the authorization payload',
  found: 'another key or payload',
}

/** The request's id as nonce: an assertion is good for one request, and that for one claim. */
function failedClaim(
  { issuer, subject, nonce, methods, authTimeSeconds }: FreshAssertion,
  {
    holder,
    requestId,
    nowSeconds,
  }: { holder: CompleteExport['holder']; requestId: string; nowSeconds: number },
): FailedCheck | undefined {
  const ageSeconds = nowSeconds - authTimeSeconds
  const isRecent = ageSeconds <= AUTHENTICATED_SECONDS && ageSeconds >= -CLOCK_TOLERANCE_SECONDS
  const checks = [
    ['iss', issuer === holder.issuer, holder.issuer, issuer],
    ['sub', subject === holder.subject, holder.subject, subject],
    ['nonce', nonce === requestId, requestId, nonce],
    ['amr', provesTwoFactors(methods), 'mfa, or methods of two kinds', methods.join(' ')],
    ['auth_time', isRecent, `at most ${AUTHENTICATED_SECONDS} s ago`, `${ageSeconds} s ago`],
  ] as const
  const wrong = checks.find(([, isRight]) => !isRight)
  if (!wrong) return undefined
  const [claim, , expected, found] = wrong
  return { credential: 'mfa_assertion', claim, expected, found: found.slice(0, FOUND_MAX) }
}

async function claim(
  ctx: ExportContext,
  tx: Tx,
  { request, wallet }: Ceremony,
  actor: Holder,
): Promise<Ceremony> {
  const { organizationId } = wallet
  await moveExport(ctx, tx, { request, organizationId, event: 'claim', actor })
  return { wallet, request: { ...request, state: 'completing' } }
}

/** Counted for the wallet, whichever request it was: a new one gives no new tries. */
async function count(
  ctx: ExportContext,
  tx: Tx,
  { request, wallet }: Ceremony,
  actor: Holder,
): Promise<undefined> {
  const { walletId, accountId, organizationId } = wallet
  const tries = wallet.failures + 1
  const isLocked = tries >= TRIES_MAX
  await updateExportTries(tx, {
    ...{ walletId, accountId },
    failures: isLocked ? 0 : tries,
    lockedUntil: isLocked ? addSeconds(ctx.clock.now(), LOCKED_SECONDS) : null,
  })
  await recordExport(ctx, tx, {
    ...{ organizationId, walletId, requestId: request.id, actor },
    action: isLocked ? 'wallet_export.locked' : 'wallet_export.refused',
    state: request.state,
    severity: 'action_required',
    data: { tries },
  })
}

/** Throws when its time ran out in the meantime: then what was sealed is given to nobody. */
async function finish(
  ctx: ExportContext,
  tx: Tx,
  { request, wallet }: Ceremony,
  actor: Holder,
): Promise<void> {
  const { walletId, accountId, organizationId } = wallet
  await lockExportableWallet(tx, { walletId, accountId })
  const current = await findExport(tx, { requestId: request.id, accountId })
  if (current?.state !== 'completing') throw new AppError('export_unusable')
  await updateExportTries(tx, { walletId, accountId, failures: 0, lockedUntil: null })
  await moveExport(ctx, tx, { request: current, organizationId, event: 'complete', actor })
}
