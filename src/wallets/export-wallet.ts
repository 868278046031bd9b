/**
 * The second step of an export, in a worker: only here is the keystore, or the provider's secret.
 * An API process has asked for it, and its word is not enough: whoever took one over could ask for
 * any key. So the signature and the assertion of the identity provider are checked again, against
 * the account that owns the wallet. Then one claim, which nobody gets twice; then the provider;
 * then the end. Whatever breaks after the claim ends the request: rather no ciphertext than two.
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
    const proof = proofIn(ctx, { requestId, sealedProof })
    const identity = await findHolderIdentity(ctx.db, actor.accountId)
    if (!identity) throw new AppError('not_found')
    const holder = { ...actor, ...identity }
    return handOver(ctx, { holder, walletId, requestId, ...proof })
  })
}

/** What does not open was sealed by nobody of ours, or for another request. */
function proofIn(
  { secrets }: Pick<ExportJobContext, 'secrets'>,
  { requestId, sealedProof: text }: { requestId: string; sealedProof: string },
): ExportProof {
  try {
    return openValue(secrets, { name: proofName(requestId), text }) as ExportProof
  } catch {
    throw new AppError('fresh_authentication_required')
  }
}

async function handOver(ctx: ExportJobContext, input: CompleteExport): Promise<SealedKey> {
  const { holder } = input
  const { accountId } = holder
  const recipient = readRecipientKey(input.recipientPublicKey)
  const asked = await ctx.db.transaction({ accountId }, (tx) => look(ctx, tx, input, recipient))
  const provider = termsOf(ctx, asked.wallet.provider ?? undefined)
  const failed = await failedProof(ctx, input, { ...asked, recipient })
  if (failed) throw new AppError('fresh_authentication_required', { failed })
  const scope = scopeOf(asked.wallet)
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
      message: 'The wallet provider refused to hand this key over. Ask the operator.',
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
  await moveExport(ctx, tx, { request, organizationId, event: 'claim', actor: by(input.holder) })
  return { wallet, request: { ...request, state: 'completing' } }
}

/** Throws when its time ran out in the meantime: then what was sealed is given to nobody. */
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
  await updateExportTries(tx, { walletId, accountId, failures: 0, lockedUntil: null })
  await moveExport(ctx, tx, {
    request: current,
    organizationId,
    event: 'complete',
    actor: by(holder),
  })
}

/** The audit trail has the account, not what its identity provider calls it. */
const by = ({ realm, accountId, requestId }: Holder): Holder => ({ realm, accountId, requestId })
