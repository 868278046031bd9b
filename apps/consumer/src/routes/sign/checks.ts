/** Findings, gathered into the few statements that a person reads. */
import type { Finding } from '@countersign/proof/verify-evidence.ts'

const FINDINGS_OF = {
  recipient: ['recipient', 'recipient in the policy'],
  amount: ['amount', 'amount within the policy'],
  place: [
    'domain: name',
    'domain: version',
    'domain: chainId',
    'domain: verifyingContract',
    'token',
    'organizationHash',
    'paymentId',
    'vault of the expense',
    'expense that was asked for',
    'organization of the expense',
    'organization of the vault',
    'organization of the report',
  ],
  text: ['expenseVersionHash', 'revision that was shown'],
  report: ['reportHash', 'report of the expense', 'report of the revision'],
  signer: ['approver', 'approver in the policy'],
  policy: [
    'policy',
    'policyVersion',
    'deadline',
    'deadline ahead and within the policy',
    'deadline as shown',
  ],
  digest: ['approvalId', 'fields', 'types', 'digest', 'hashes'],
  chain_vault: [
    'chain: vault code',
    'chain: token',
    'chain: token shown',
    'chain: organization as before',
  ],
  chain_token: ['chain: token symbol', 'chain: token decimals'],
  chain_policy: [
    'chain: policy version',
    'chain: not paused',
    'chain: cap',
    'chain: deadline',
    'chain: approver',
  ],
  chain_recipient: [
    'chain: recipient',
    'chain: recipient not blocked',
    'chain: recipient without a role',
    'chain: not paid',
  ],
  chain_signatures: ['chain: signatures'],
  chain_digest: ['chain: digest'],
} as const satisfies Record<string, readonly string[]>

export type CheckId = keyof typeof FINDINGS_OF | 'other'
export type Check = { id: CheckId; holds: boolean; findings: Finding[] }

const IDS = Object.keys(FINDINGS_OF) as (keyof typeof FINDINGS_OF)[]

/**
 * One check for each statement. A statement without findings was not checked, so it does not hold:
 * nothing on the list is ticked by default. A finding of no statement is listed by itself.
 */
export function checksOf(findings: readonly Finding[]): Check[] {
  const named = IDS.map((id) => {
    const names: readonly string[] = FINDINGS_OF[id]
    const own = findings.filter(({ link }) => names.includes(link))
    return { id, holds: own.length > 0 && own.every(({ holds }) => holds), findings: own }
  })
  const known = new Set<string>(Object.values(FINDINGS_OF).flat())
  const rest = findings.filter(({ link }) => !known.has(link))
  if (rest.length === 0) return named
  return [...named, { id: 'other', holds: rest.every(({ holds }) => holds), findings: rest }]
}

export const allHold = (checks: readonly Check[]): boolean =>
  checks.length > 0 && checks.every(({ holds }) => holds)

/** For support: what was expected and what came. */
export const reportOf = (checks: readonly Check[]): string =>
  checks
    .flatMap(({ findings, holds, id }) =>
      findings.length === 0 && !holds
        ? [`${id}: not checked`]
        : findings
            .filter((finding) => !finding.holds)
            .map(({ link, detail }) => `${link}: ${detail}`),
    )
    .join('\n')
