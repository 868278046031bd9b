/** Reads one vault with its figures, its policy, and the policy's differences. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { toVaultPolicyRecord, type VaultPolicyRecord } from './intent-records.ts'
import { readListedAddresses } from './listed-addresses.ts'
import { differencesFrom, type PolicyDifferences } from './policy-changes.ts'
import { type ProposalRecord, readProposal } from './read-proposal.ts'
import { toVaultRecord, type VaultRecord } from './vault.ts'
import { readVaultFigures, type VaultFigures } from './vault-figures.ts'
import { listVaultRecipients } from './vault-recipients.store.ts'
import { findVault } from './vaults.store.ts'

export type VaultDetail = VaultRecord & {
  balanceBaseUnits: string
  reservedBaseUnits: string
  availableBaseUnits: string | null
  remainingAllowanceBaseUnits: string | null
  policy: VaultPolicyRecord | null
  differences: PolicyDifferences | null
  recipientsVersion: number
  earlyRecipientAddresses: string[]
  pauseNumber: number
  pendingRecipients: { address: string; allowedFrom: string }[]
  blockedRecipientAddresses: string[]
  period: PeriodRecord | null
  proposal: ProposalRecord | null
  asOfBlock: number | null
  asOfTime: string | null
}

type PeriodRecord = {
  periodSeconds: number
  endsAt: string
  spentBaseUnits: string
  automaticSpentBaseUnits: string
  reservedBaseUnits: string
  remainingBaseUnits: string
  automaticRemainingBaseUnits: string
}

type VaultOf = { member: Member; vaultId: string }

export async function readVault(
  ctx: Pick<Context, 'db' | 'clock'>,
  { member, vaultId }: VaultOf,
): Promise<VaultDetail> {
  const key = { organizationId: member.organizationId, vaultId }
  return ctx.db.transaction(scopeOf(member), (tx) => detailAt(ctx, tx, key), {
    isolation: 'snapshot',
  })
}

async function detailAt(
  { clock }: Pick<Context, 'clock'>,
  tx: Tx,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
): Promise<VaultDetail> {
  const position = await findPosition(tx)
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('not_found')
  const { chainId, recipientsVersion, pauseNumber } = vault
  const now = clock.now()
  const figures = await readVaultFigures(tx, vault, now)
  const { policy } = figures
  const recipients = await readRecipients(tx, { organizationId, vaultId, now })
  const { recipientAddresses } = recipients
  const listed = await readListedAddresses(tx, { organizationId, chainId })
  return {
    ...toVaultRecord(vault),
    balanceBaseUnits: figures.balance.toString(),
    reservedBaseUnits: figures.reserved.toString(),
    availableBaseUnits: figures.available?.toString() ?? null,
    remainingAllowanceBaseUnits: figures.remainingAllowance?.toString() ?? null,
    policy: policy ? toVaultPolicyRecord(policy, vault, recipientAddresses) : null,
    differences: policy ? differencesFrom({ ...policy, recipientAddresses }, listed) : null,
    recipientsVersion,
    earlyRecipientAddresses: policy ? [] : recipientAddresses.map(checksummed),
    pauseNumber,
    pendingRecipients: recipients.pending,
    blockedRecipientAddresses: recipients.blocked,
    period: periodOf(figures),
    proposal: await readProposal(tx, { organizationId, vaultId, policy }),
    asOfBlock: position?.number ?? null,
    asOfTime: position?.seenAt ?? null,
  }
}

/** A recipient that waits or is blocked is listed like the others; the extra lists say so. */
async function readRecipients(
  tx: Tx,
  { now, ...key }: { organizationId: string; vaultId: string; now: Date },
) {
  const standings = await listVaultRecipients(tx, key)
  const at = now.toISOString()
  return {
    recipientAddresses: standings.flatMap(({ address, allowedFrom }) =>
      allowedFrom === null ? [] : address,
    ),
    pending: standings.flatMap(({ address, allowedFrom }) =>
      allowedFrom === null || allowedFrom <= at
        ? []
        : { address: checksummed(address), allowedFrom },
    ),
    blocked: standings.flatMap(({ address, blocked }) => (blocked ? checksummed(address) : [])),
  }
}

function periodOf({ policy, period, reserved }: VaultFigures): PeriodRecord | null {
  if (!policy || !period) return null
  return {
    periodSeconds: policy.periodSeconds,
    endsAt: period.endsAt,
    spentBaseUnits: period.total.toString(),
    automaticSpentBaseUnits: period.automatic.toString(),
    reservedBaseUnits: reserved.toString(),
    remainingBaseUnits: period.remaining.toString(),
    automaticRemainingBaseUnits: period.automaticRemaining.toString(),
  }
}
