/** The sections of an organization, and the arrays of its answer that they show. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import type { SectionId } from '../../search.ts'

type Kind =
  | 'payments'
  | 'expenses'
  | 'approvals'
  | 'agentRuns'
  | 'members'
  | 'treasuryVaults'
  | 'supportCases'
  | 'auditEvents'

export const SECTION_NAMES: Record<SectionId, MessageDescriptor> = {
  summary: msg`Summary`,
  payments: msg`Payments`,
  expenses: msg`Expenses`,
  approvals: msg`Approvals`,
  analyses: msg`Analyses`,
  people: msg`People`,
  vaults: msg`Vaults`,
  executor: msg`Executor`,
  cases: msg`Cases`,
  trail: msg`Trail`,
  proofs: msg`Proofs`,
}

const KINDS: Partial<Record<SectionId, Kind>> = {
  payments: 'payments',
  expenses: 'expenses',
  approvals: 'approvals',
  analyses: 'agentRuns',
  people: 'members',
  vaults: 'treasuryVaults',
  cases: 'supportCases',
  trail: 'auditEvents',
}

/** Null for sections that are no list. */
export function countOf(
  detail: OrganizationDetail,
  section: SectionId,
): { count: number; isCutOff: boolean } | null {
  const kind = KINDS[section]
  if (!kind) return null
  return { count: detail[kind].length, isCutOff: detail.truncated.includes(kind) }
}
