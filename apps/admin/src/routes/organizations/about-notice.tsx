import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import type { SectionId } from '../../search.ts'
import { type Found, findTerm } from './exact-term.ts'

const TITLES: Record<Found['kind'], ReactNode> = {
  payment: <Trans>What you searched for belongs to a payment</Trans>,
  case: <Trans>What you searched for is a support case</Trans>,
  vault: <Trans>What you searched for is a vault</Trans>,
  executor: <Trans>What you searched for is the executor</Trans>,
  recipient: <Trans>What you searched for is the address of a recipient</Trans>,
  wallet: <Trans>What you searched for is a member's wallet</Trans>,
  older: <Trans>What you searched for is not among the newest rows shown here</Trans>,
}

type Props = { detail: OrganizationDetail; about: string }

/** Where in this organization the searched id, address or hash is. */
export function AboutNotice({ detail, about }: Props) {
  const found = findTerm(detail, about)
  if (!found) return null
  return (
    <div className="mb-4">
      <Notice
        tone="info"
        title={TITLES[found.kind]}
        actions={<WayThere found={found} organizationId={detail.organization.id} />}
      >
        <span className="break-all font-mono text-sm">{about}</span>
        {'label' in found && (
          <>
            {' '}
            <bdi>{found.label}</bdi>
          </>
        )}
      </Notice>
    </div>
  )
}

const linkStyle = buttonStyle({ look: 'primary', size: 'small' })

type WayProps = { found: Found; organizationId: string }

function WayThere({ found, organizationId }: WayProps) {
  switch (found.kind) {
    case 'payment':
    case 'older':
      return (
        <Link
          to="/organizations/$organizationId/payments/$paymentId"
          params={{
            organizationId,
            paymentId: found.kind === 'older' ? found.id : found.paymentId,
          }}
          className={linkStyle}
        >
          {found.kind === 'older' ? (
            <Trans>Look for a payment with this id</Trans>
          ) : (
            <Trans>Open its story</Trans>
          )}
        </Link>
      )
    case 'case':
      return (
        <Link to="/cases/$caseId" params={{ caseId: found.caseId }} className={linkStyle}>
          <Trans>Open the case</Trans>
        </Link>
      )
    case 'vault':
      return (
        <SectionLink organizationId={organizationId} section="vaults">
          <Trans>See the vaults</Trans>
        </SectionLink>
      )
    case 'executor':
      return (
        <SectionLink organizationId={organizationId} section="executor">
          <Trans>Open the executor</Trans>
        </SectionLink>
      )
    case 'recipient':
      return (
        <SectionLink organizationId={organizationId} section="payments">
          <Trans>See the payments</Trans>
        </SectionLink>
      )
    case 'wallet':
      return (
        <SectionLink organizationId={organizationId} section="people">
          <Trans>See the people</Trans>
        </SectionLink>
      )
  }
}

type SectionLinkProps = { organizationId: string; section: SectionId; children: ReactNode }

const SectionLink = ({ organizationId, section, children }: SectionLinkProps) => (
  <Link
    to="/organizations/$organizationId"
    params={{ organizationId }}
    search={{ section }}
    className={linkStyle}
  >
    {children}
  </Link>
)
