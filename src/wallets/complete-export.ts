/**
 * Second step of an export, in the API process: verifies the proof, counts failed attempts and asks
 * a worker for the key. The worker verifies the proof again and claims the request
 * (`export-wallet.ts`). Any failure after the claim ends the request.
 */
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError, type FailedCheck } from '#platform/errors.ts'
import { askWorker, sealValue } from '#platform/jobs/ask-worker.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import type { FreshAssertion } from '#ports/identity-provider.ts'
import type { SealedKey } from '#ports/wallet-provider.ts'
import {
  type ExportableWallet,
  type ExportRequest,
  findExport,
  lockExportableWallet,
  updateExportTries,
} from './exports.store.ts'
import { type ExportContext, recordExport } from './move-export.ts'
import { type Holder, scopeOf } from './move-wallet.ts'
import { termsOf } from './provider-terms.ts'
import { isSignedBy, type RecipientKey, readRecipientKey } from './recipient-key.ts'
import { payloadOf, requireNotLocked } from './request-export.ts'
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

/** A request and its wallet, read in one transaction. */
export type Ceremony = { request: ExportRequest; wallet: ExportableWallet }

/**
 * The proof that the worker verifies again. It is sealed in the job, because no row may contain it.
 */
export type ExportProof = Pick<
  CompleteExport,
  'recipientPublicKey' | 'authorizationSignature' | 'mfaAssertion'
>

export const proofName = (requestId: string): string => `export_proof:${requestId}`

type ProvenContext = Pick<ExportContext, 'db' | 'clock' | 'identity' | 'walletProvider'>

export async function completeExport(
  ctx: ExportContext,
  input: CompleteExport,
): Promise<CompletedExport> {
  const { accountId } = input.holder
  const recipient = readRecipientKey(input.recipientPublicKey)
  const open = await ctx.db.transaction({ accountId }, (tx) => look(ctx, tx, input, recipient))
  termsOf(ctx, open.wallet.provider ?? undefined)
  const failed = await failedProof(ctx, input, { ...open, recipient })
  if (failed) {
    await ctx.db.transaction(scopeOf(open.wallet), async (tx) =>
      countFailure(ctx, tx, await look(ctx, tx, input, recipient), input.holder),
    )
    throw new AppError('fresh_authentication_required', { failed })
  }
  const sealed = await requestKey(ctx, input, open.wallet)
  const { id: requestId, expiresAt } = open.request
  return { encryptionType: 'HPKE', ...sealed, expiresAt, requestId }
}

async function requestKey(
  ctx: ExportContext,
  { holder, walletId, requestId, ...proof }: CompleteExport,
  wallet: ExportableWallet,
): Promise<SealedKey> {
  const { realm, accountId, requestId: httpRequestId } = holder
  const { organizationId } = wallet
  const sealedProof = sealValue(ctx.secrets, { name: proofName(requestId), value: proof })
  const job = {
    actor: { realm, accountId, requestId: httpRequestId },
    organizationId,
    walletId,
    requestId,
    sealedProof,
  }
  return askWorker<SealedKey>(ctx, (replyTo) =>
    ctx.db.transaction(scopeOf(wallet), (tx) =>
      enqueue(tx, 'export_wallet', { ...job, replyTo }, { attemptsMax: 1 }),
    ),
  )
}

type ExportKey = { walletId: string; requestId: string; holder: { accountId: string } }

/** Checks state and expiry before the key, so that an ended request reveals nothing more. */
export async function look(
  ctx: Pick<ProvenContext, 'clock'>,
  tx: Tx,
  { walletId, requestId, holder: { accountId } }: ExportKey,
  recipient: RecipientKey,
): Promise<Ceremony> {
  const wallet = await lockExportableWallet(tx, { walletId, accountId })
  const request = wallet && (await findExport(tx, { requestId, accountId }))
  if (!request || request.walletId !== walletId) throw new AppError('not_found')
  const now = ctx.clock.now().getTime()
  requireNotLocked(ctx, wallet)
  const isOpen = request.state === 'pending' && timestampToMilliseconds(request.expiresAt) > now
  if (!isOpen || wallet.state !== 'active') throw new AppError('export_unusable')
  if (!request.recipientKeyHash.equals(recipient.hash)) {
    throw new AppError('export_unusable', {
      message: 'This request was made for another recipient key. Request a new export.',
    })
  }
  return { request, wallet }
}

/** The first proof that fails; undefined when all hold. */
export async function failedProof(
  ctx: ProvenContext,
  { holder, requestId, authorizationSignature: signature, mfaAssertion: token }: CompleteExport,
  { request, wallet, recipient }: Ceremony & { recipient: RecipientKey },
): Promise<FailedCheck | undefined> {
  const provider = termsOf(ctx, wallet.provider ?? undefined)
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

/**
 * The nonce is the request's id, so an assertion works for one request, and a request for one
 * claim.
 */
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

/** Counts failures per wallet, so that a new request grants no new attempts. */
async function countFailure(
  ctx: ExportContext,
  tx: Tx,
  { request, wallet }: Ceremony,
  actor: Holder,
): Promise<void> {
  const { walletId, accountId, organizationId } = wallet
  const tries = wallet.failures + 1
  const isLocked = tries >= TRIES_MAX
  updateExportTries(tx, {
    walletId,
    accountId,
    failures: isLocked ? 0 : tries,
    lockedUntil: isLocked ? addSeconds(ctx.clock.now(), LOCKED_SECONDS) : null,
  })
  await recordExport(ctx, tx, {
    organizationId,
    walletId,
    requestId: request.id,
    actor,
    action: isLocked ? 'wallet_export.locked' : 'wallet_export.refused',
    state: request.state,
    severity: 'action_required',
    data: { tries },
  })
}
