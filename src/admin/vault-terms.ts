/** Rows of vaults' policies as operators see them. Pure. */
import type { VaultTermsRow } from './vault-terms.store.ts'

/** The joined columns are null together, which the types of a row cannot say. */
function policyOf(row: VaultTermsRow) {
  const { policyVersion: version, paused, expiresAt } = row
  if (version === null || paused === null || expiresAt === null) return null
  const isOn = row.periodSeconds !== null && row.periodSeconds > 0
  return {
    version,
    paused,
    expiresAt,
    periodSeconds: isOn ? row.periodSeconds : null,
    periodCap: isOn ? (row.periodCap ?? 0n).toString() : null,
    automaticPeriodCap: isOn ? (row.automaticPeriodCap ?? 0n).toString() : null,
    tiers: row.tiers ?? [],
  }
}

function proposalOf(row: VaultTermsRow) {
  const { proposalId: id, proposedAt, activatesAt, proposalExpiresAt: expiresAt, isPrepared } = row
  if (id === null || proposedAt === null || activatesAt === null || expiresAt === null) return null
  return { id, proposedAt, activatesAt, expiresAt, prepared: isPrepared ?? false }
}

export const toVaultTerms = (row: VaultTermsRow) => ({
  vaultId: row.vaultId,
  pauseNumber: row.pauseNumber,
  policy: policyOf(row),
  recipientCount: row.recipientCount,
  pendingRecipientCount: row.pendingRecipientCount,
  blockedRecipientCount: row.blockedRecipientCount,
  proposal: proposalOf(row),
})
