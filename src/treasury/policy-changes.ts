/** How a policy and its recipients differ from what is in force. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { PolicyTerms } from './policy.ts'
import { type StoredTier, toLimitsRecord } from './policy-limits.ts'

type ListChange = { added: string[]; removed: string[] }
type ValueChange<T> = { from: T | null; to: T }
/** Null on either side where the limit is off. */
type LimitChange<T> = { from: T | null; to: T | null }

export type PolicyChanges = {
  recipients: ListChange
  approvers: ListChange
  executor: ValueChange<string> | null
  approvedCap: ValueChange<string> | null
  automaticCap: ValueChange<string> | null
  lifetimeCap: ValueChange<string> | null
  reserveFloor: ValueChange<string> | null
  periodSeconds: LimitChange<number> | null
  periodCap: LimitChange<string> | null
  automaticPeriodCap: LimitChange<string> | null
  tiers: LimitChange<StoredTier[]> | null
  expiresAt: ValueChange<string> | null
  automaticEnabled: ValueChange<boolean> | null
  paused: ValueChange<boolean> | null
}

/** In the order of the lists. */
export function listChange(before: readonly string[], after: readonly string[]): ListChange {
  const [had, has] = [new Set(before), new Set(after)]
  return {
    added: after.filter((entry) => !had.has(entry)),
    removed: before.filter((entry) => !has.has(entry)),
  }
}

const shown = ({ added, removed }: ListChange): ListChange => ({
  added: added.map(checksummed),
  removed: removed.map(checksummed),
})

const valueChange = <T>(from: T | undefined, to: T): ValueChange<T> | null =>
  from === to ? null : { from: from ?? null, to }

const limitChange = <T>(from: T | null, to: T | null): LimitChange<T> | null =>
  from === to ? null : { from, to }

function tiersChange(from: StoredTier[], to: StoredTier[]): LimitChange<StoredTier[]> | null {
  if (JSON.stringify(from) === JSON.stringify(to)) return null
  return { from: from.length === 0 ? null : from, to: to.length === 0 ? null : to }
}

/**
 * Shown to the owner before signing, so that no one can add an address unnoticed. `recipients` is
 * what the transaction changes in the vault's list.
 */
export function changesBetween(
  before: PolicyTerms | undefined,
  after: PolicyTerms,
  recipients: ListChange,
): PolicyChanges {
  const cap = (name: 'approvedCap' | 'automaticCap' | 'lifetimeCap' | 'reserveFloor') =>
    valueChange(before?.[name].toString(), after[name].toString())
  const had = before && toLimitsRecord(before)
  const has = toLimitsRecord(after)
  const periodCap = (name: 'periodCap' | 'automaticPeriodCap') =>
    limitChange(had?.[name] ?? null, has[name])
  return {
    recipients: shown(recipients),
    approvers: shown(listChange(before?.approverAddresses ?? [], after.approverAddresses)),
    executor: valueChange(
      before && checksummed(before.executorAddress),
      checksummed(after.executorAddress),
    ),
    approvedCap: cap('approvedCap'),
    automaticCap: cap('automaticCap'),
    lifetimeCap: cap('lifetimeCap'),
    reserveFloor: cap('reserveFloor'),
    periodSeconds: limitChange(had?.periodSeconds ?? null, has.periodSeconds),
    periodCap: periodCap('periodCap'),
    automaticPeriodCap: periodCap('automaticPeriodCap'),
    tiers: tiersChange(had?.tiers ?? [], has.tiers),
    expiresAt: valueChange(before?.expiresAt, after.expiresAt),
    automaticEnabled: valueChange(before?.automaticEnabled, after.automaticEnabled),
    paused: valueChange(before?.paused, after.paused),
  }
}

/** Whether anything but the recipients differs. */
export function changesPolicy({ recipients: _recipients, approvers, ...values }: PolicyChanges) {
  const hasOtherApprovers = approvers.added.length > 0 || approvers.removed.length > 0
  return hasOtherApprovers || Object.values(values).some((change) => change !== null)
}

export type ListedAddresses = {
  executorAddress: string
  approverAddresses: string[]
  recipientAddresses: string[]
}

export type PolicyDifferences = {
  missingRecipients: string[]
  extraRecipients: string[]
  missingApprovers: string[]
  extraApprovers: string[]
  executorDiffers: boolean
}

/**
 * How the vault's policy and recipients differ from the organization now. Missing: active in the
 * organization, and not in the vault. Extra: in the vault, and no longer active. A policy that is
 * prepared now would add the missing and remove the extra addresses.
 */
export function differencesFrom(
  vault: ListedAddresses,
  organization: Omit<ListedAddresses, 'executorAddress'> & { executorAddress: string | undefined },
): PolicyDifferences {
  const recipients = shown(listChange(vault.recipientAddresses, organization.recipientAddresses))
  const approvers = shown(listChange(vault.approverAddresses, organization.approverAddresses))
  return {
    missingRecipients: recipients.added,
    extraRecipients: recipients.removed,
    missingApprovers: approvers.added,
    extraApprovers: approvers.removed,
    executorDiffers: vault.executorAddress !== organization.executorAddress,
  }
}
