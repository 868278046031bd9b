/**
 * Second step of an export, in a worker, which alone has the keystore or the provider's secret. A
 * compromised API process could request any key, so the worker verifies the signature and the
 * identity provider's assertion again, against the account that owns the wallet. It then claims the
 * request exactly once, asks the provider and completes it. Any failure after the claim ends the
 * request: returning no ciphertext is safer than returning two.
 */
import type { Context } from '#context.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { answerCaller, openValue } from '#platform/jobs/ask-worker.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { SealedKey } from '#ports/wallet-provider.ts'
import {
  type Ceremony,
  type CompleteExport,
  type ExportProof,
  failedProof,
  look,
  proofName,
} from './complete-export.ts'
import {
  findExport,
  findHolderIdentity,
  lockExportableWallet,
  updateExportTries,
} from './exports.store.ts'
import { moveExport } from './move-export.ts'
import { type Holder, scopeOf } from './move-wallet.ts'
import { termsOf } from './provider-terms.ts'
import { type RecipientKey, readRecipientKey } from './recipient-key.ts'

type ExportJobContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'identity' | 'secrets' | 'walletProvider'
>

/** Job. */
export async function exportWallet(
  ctx: ExportJobContext,
  { actor, walletId, requestId, sealedProof, replyTo }: JobPayloads['export_wallet'],
): Promise<void> {
  await answerCaller(ctx, replyTo, async () => {
    const proof = openProof(ctx, { requestId, sealedProof })
    const identity = await findHolderIdentity(ctx.db, actor.accountId)
    if (!identity) throw new AppError('not_found')
    const holder = { ...actor, ...identity }
    return exportKey(ctx, { holder, walletId, requestId, ...proof })
  })
}

/** A proof that does not open was not sealed by this service, or sealed for another request. */
function openProof(
  { secrets }: Pick<ExportJobContext, 'secrets'>,
  { requestId, sealedProof: text }: { requestId: string; sealedProof: string },
): ExportProof {
  try {
    return openValue(secrets, { name: proofName(requestId), text }) as ExportProof
  } catch {
    throw new AppError('fresh_authentication_required')
  }
}

async function exportKey(ctx: ExportJobContext, input: CompleteExport): Promise<SealedKey> {
  const { holder } = input
  const { accountId } = holder
  const recipient = readRecipientKey(input.recipientPublicKey)
  const open = await ctx.db.transaction({ accountId }, (tx) => look(ctx, tx, input, recipient))
  const provider = termsOf(ctx, open.wallet.provider ?? undefined)
  const failed = await failedProof(ctx, input, { ...open, recipient })
  if (failed) throw new AppError('fresh_authentication_required', { failed })
  const scope = scopeOf(open.wallet)
  const claimed = await ctx.db.transaction(scope, (tx) => claim(ctx, tx, input, recipient))
  const { request, wallet } = claimed
  const sealed = await provider.exportKey({
    ...wallet,
    requestId: request.id,
    expiresAt: request.expiresAt,
    recipientPublicKey: recipient.spki,
  })
  if (sealed.outcome === 'refused') {
    throw new AppError('export_unusable', {
      message: 'The wallet provider refused to export this key. Ask the operator.',
    })
  }
  await ctx.db.transaction(scope, (tx) => finish(ctx, tx, claimed, holder))
  const { encapsulatedKey, ciphertext } = sealed
  return { encapsulatedKey, ciphertext }
}

async function claim(
  ctx: ExportJobContext,
  tx: Tx,
  input: CompleteExport,
  recipient: RecipientKey,
): Promise<Ceremony> {
  const { request, wallet } = await look(ctx, tx, input, recipient)
  const { organizationId } = wallet
  await moveExport(ctx, tx, {
    request,
    organizationId,
    event: 'claim',
    actor: actorOf(input.holder),
  })
  return { wallet, request: { ...request, state: 'completing' } }
}

/** Throws when the request expired in the meantime; the sealed key is then discarded. */
async function finish(
  ctx: ExportJobContext,
  tx: Tx,
  { request, wallet }: Ceremony,
  holder: Holder,
): Promise<void> {
  const { walletId, accountId, organizationId } = wallet
  await lockExportableWallet(tx, { walletId, accountId })
  const current = await findExport(tx, { requestId: request.id, accountId })
  if (current?.state !== 'completing') throw new AppError('export_unusable')
  updateExportTries(tx, { walletId, accountId, failures: 0, lockedUntil: null })
  await moveExport(ctx, tx, {
    request: current,
    organizationId,
    event: 'complete',
    actor: actorOf(holder),
  })
}

/** Keeps the provider's issuer and subject out of the audit trail. */
const actorOf = ({ realm, accountId, requestId }: Holder): Holder => ({
  realm,
  accountId,
  requestId,
})
