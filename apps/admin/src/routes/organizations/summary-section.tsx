import { buttonStyle } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Empty, Fact, Facts, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { CircleCheckBig } from 'lucide-react'
import { useMemo } from 'react'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import { CasesSection } from '../../subjects/cases-section.tsx'
import { SeverityMark } from '../../words/severity-mark.tsx'
import { PaymentRow } from './payment-row.tsx'
import { SENT, troublesOf } from './troubles.ts'

/** What is wrong first, then the figures. */
export function SummarySection({ detail }: { detail: OrganizationDetail }) {
  const { t } = useLingui()
  const { organization } = detail
  const { blocked, openCases } = useMemo(() => troublesOf(detail, Date.now()), [detail])
  const { unrecordedPayments } = organization
  const isCalm = blocked.length === 0 && openCases.length === 0 && unrecordedPayments === 0
  return (
    <>
      {isCalm && (
        <Empty
          icon={<CircleCheckBig aria-hidden="true" />}
          title={<Trans>Nothing is stuck here</Trans>}
        >
          <Trans>No payment is blocked and no case is open.</Trans>
        </Empty>
      )}
      {unrecordedPayments > 0 && (
        <div className="mb-6">
          <Notice
            tone="bad"
            title={
              <Plural
                value={unrecordedPayments}
                one="A vault made a payment that the service has no record of"
                other="The vaults made # payments that the service has no record of"
              />
            }
            actions={
              <Link to="/unrecorded-payments" className={buttonStyle({ size: 'small' })}>
                <Trans>See unrecorded payments</Trans>
              </Link>
            }
          >
            <Trans>
              Someone else may have the executor's key. Find out who sent it; until then, an owner
              pauses the policy.
            </Trans>
          </Notice>
        </div>
      )}
      {blocked.length > 0 && (
        <Section title={<Trans>Stuck</Trans>}>
          <Card isFlush>
            <ul aria-label={t`Stuck payments`} className="divide-y divide-line">
              {blocked.map(({ expense, payment }) => (
                <PaymentRow
                  key={payment?.id ?? expense?.id}
                  organizationId={organization.id}
                  expense={expense}
                  payment={payment}
                  isUnmined={payment !== undefined && SENT.includes(payment.state)}
                />
              ))}
            </ul>
          </Card>
        </Section>
      )}
      {openCases.length > 0 && (
        <Section title={<Trans>Open cases</Trans>}>
          <CasesSection cases={openCases} />
        </Section>
      )}
      <Section title={<Trans>Figures</Trans>}>
        <Card>
          <Facts>
            <Fact term={<Trans>State</Trans>}>
              <SeverityMark severity={organization.severity} />
            </Fact>
            <Fact term={<Trans>Customer since</Trans>}>
              <Moment at={organization.createdAt} style="date" />
            </Fact>
            <Fact term={<Trans>Active members</Trans>}>{organization.memberCount}</Fact>
            <Fact term={<Trans>Vaults</Trans>}>{organization.vaultCount}</Fact>
            <Fact term={<Trans>Payments failed or blocked</Trans>}>
              {organization.failedPayments}
            </Fact>
            <Fact term={<Trans>Unrecorded payments</Trans>}>{organization.unrecordedPayments}</Fact>
            <Fact term={<Trans>Id</Trans>}>
              <span className="break-all font-mono text-sm">{organization.id}</span>
            </Fact>
          </Facts>
        </Card>
      </Section>
    </>
  )
}
