import { parseAmount } from '@countersign/ui/amounts.ts'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowRight } from 'lucide-react'
import { tierOf } from '../../../approval/tiers.ts'
import { useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import { reviewersOf, signersOf } from '../detail/actions.ts'
import { useWaitingText } from '../detail/waiting-text.ts'
import type { Recipient, Vault } from '../expense-types.ts'
import type { Values } from './values.ts'

type Props = {
  mode: Values['mode']
  recipient: Recipient | undefined
  vault: Vault | undefined
  amount: string
}

/** The way of this expense, with the names of those who decide. */
export function WhatHappens({ mode, recipient, vault, amount }: Props) {
  const { t } = useLingui()
  const { accountId, role, config } = useOrganization()
  const { members } = usePeople()
  const region = useRegion()
  const parsed = parseAmount(amount, config.token.decimals, region)
  const tier = tierOf(vault?.policy?.tiers ?? [], parsed.ok ? parsed.baseUnits : '0')
  const situation = {
    expense: {
      state: 'draft' as const,
      blockCode: null,
      submitterAccountId: accountId,
      currentRevision: 1,
      requiredApprovals: tier?.approvals ?? 1,
      revision: { recipientAddress: recipient?.address ?? ('0x' as const) },
    },
    accountId,
    role,
    members,
    policyApprovers: vault?.policy?.approverAddresses ?? null,
    accepted: [],
    isReleaseManual: config.features.paymentRelease === 'manual',
    revisionsMax: config.limits.counts.expenseRevisions,
  }
  const { nextText } = useWaitingText({
    reviewers: reviewersOf(situation),
    signers: signersOf(situation),
    submitter: accountId,
    required: situation.expense.requiredApprovals,
  })
  const released = situation.isReleaseManual ? [t`Released by an owner or a manager`] : []
  const steps =
    mode === 'automatic'
      ? [nextText('analysis'), ...released, nextText('payment')]
      : [
          nextText('analysis'),
          nextText('review'),
          nextText('signature'),
          ...released,
          nextText('payment'),
        ]
  return (
    <section className="rounded-md bg-info-soft px-4 py-3">
      <h2 className="mb-1 font-medium text-sm">
        <Trans>What will happen</Trans>
      </h2>
      <ol className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        {steps.map((step, index) => (
          <li key={step} className="flex items-center gap-2">
            {index > 0 && (
              <ArrowRight className="size-3.5 shrink-0 text-muted" aria-hidden="true" />
            )}
            {step}
          </li>
        ))}
      </ol>
      {mode === 'automatic' && (
        <p className="mt-1 text-muted text-sm">
          <Trans>If a check does not pass:</Trans> {nextText('review')}, {nextText('signature')}.
        </p>
      )}
    </section>
  )
}
