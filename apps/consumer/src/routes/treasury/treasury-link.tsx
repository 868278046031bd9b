import { buttonStyle } from '@countersign/ui/button.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useOrganization } from '../../data/organization.tsx'

const UNDER = '/organizations/$organizationId'

type Look = Parameters<typeof buttonStyle>[0]
type Props = { children: ReactNode; look?: Look }

const styled = (look: Look | undefined) =>
  look ? buttonStyle(look) : 'text-accent underline-offset-4 hover:underline'

export function NewVaultLink({ children, look }: Props) {
  const { id: organizationId } = useOrganization()
  return (
    <Link to={`${UNDER}/treasury/new`} params={{ organizationId }} className={styled(look)}>
      {children}
    </Link>
  )
}

export function ExecutorLink({ children, look }: Props) {
  const { id: organizationId } = useOrganization()
  return (
    <Link to={`${UNDER}/treasury/executor`} params={{ organizationId }} className={styled(look)}>
      {children}
    </Link>
  )
}

type VaultProps = Props & { vaultId: string }

export function VaultLink({ vaultId, children, look, hash }: VaultProps & { hash?: string }) {
  const { id: organizationId } = useOrganization()
  return (
    <Link
      to={`${UNDER}/treasury/$vaultId`}
      params={{ organizationId, vaultId }}
      className={styled(look)}
      {...(hash && { hash })}
    >
      {children}
    </Link>
  )
}

export function PolicyLink({ vaultId, children, look }: VaultProps) {
  const { id: organizationId } = useOrganization()
  return (
    <Link
      to={`${UNDER}/treasury/$vaultId/policy`}
      params={{ organizationId, vaultId }}
      className={styled(look)}
    >
      {children}
    </Link>
  )
}

export function VaultRecipientsLink({ vaultId, children, look }: VaultProps) {
  const { id: organizationId } = useOrganization()
  return (
    <Link
      to={`${UNDER}/treasury/$vaultId/recipients`}
      params={{ organizationId, vaultId }}
      className={styled(look)}
    >
      {children}
    </Link>
  )
}

export function FundingLink({ vaultId, children, look }: VaultProps) {
  const { id: organizationId } = useOrganization()
  return (
    <Link
      to={`${UNDER}/treasury/$vaultId/funding`}
      params={{ organizationId, vaultId }}
      className={styled(look)}
    >
      {children}
    </Link>
  )
}

export function PeopleLink({ children, look }: Props) {
  const { id: organizationId } = useOrganization()
  return (
    <Link to={`${UNDER}/people`} params={{ organizationId }} className={styled(look)}>
      {children}
    </Link>
  )
}

export function RecipientsLink({ children, look }: Props) {
  const { id: organizationId } = useOrganization()
  return (
    <Link to={`${UNDER}/recipients`} params={{ organizationId }} className={styled(look)}>
      {children}
    </Link>
  )
}

export function WalletsLink({ children, look }: Props) {
  return (
    <Link to="/wallets" className={styled(look)}>
      {children}
    </Link>
  )
}

const backStyle = 'inline-flex items-center gap-1 text-muted hover:text-text'

export function BackToTreasury() {
  const { id: organizationId } = useOrganization()
  return (
    <Link to={`${UNDER}/treasury`} params={{ organizationId }} className={backStyle}>
      <ChevronLeft className="size-4" aria-hidden="true" />
      <Trans>Treasury</Trans>
    </Link>
  )
}

export function BackToVault({ vaultId, label }: { vaultId: string; label: string }) {
  const { id: organizationId } = useOrganization()
  return (
    <Link
      to={`${UNDER}/treasury/$vaultId`}
      params={{ organizationId, vaultId }}
      className={backStyle}
    >
      <ChevronLeft className="size-4" aria-hidden="true" />
      <bdi>{label}</bdi>
    </Link>
  )
}
