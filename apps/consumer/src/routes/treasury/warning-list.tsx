import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice, type Tone } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { AddressList } from './address-details.tsx'
import { SendGas } from './gas-amount.tsx'
import { RevokeList, Unpause } from './owner-remedies.tsx'
import { ExecutorLink, PolicyLink, VaultLink, VaultRecipientsLink } from './treasury-link.tsx'
import type { TreasuryWarning } from './treasury-warnings.ts'
import { useReconcile } from './use-reconcile.tsx'

type Props = {
  vault: DataOf<'getVault'>
  warnings: readonly TreasuryWarning[]
  names: ReadonlyMap<string, string>
}

const TONES: Partial<Record<TreasuryWarning['id'], Tone>> = {
  expired: 'bad',
  paused: 'bad',
  extra_approvers: 'bad',
  missing_recipients: 'info',
  missing_approvers: 'info',
}

const small = { size: 'small', look: 'secondary' } as const

/** What is wrong, and beside each the step that mends it. */
export function WarningList({ vault, warnings, names }: Props) {
  const { t } = useLingui()
  if (warnings.length === 0) return null
  return (
    <ul className="my-4 flex flex-col gap-3" aria-label={t`Needs attention`}>
      {warnings.map((warning) => (
        <li key={warning.id}>
          <WarningNotice warning={warning} vault={vault} names={names} />
        </li>
      ))}
    </ul>
  )
}

type NoticeProps = {
  warning: TreasuryWarning
  vault: DataOf<'getVault'>
  names: ReadonlyMap<string, string>
}

function WarningNotice({ warning, vault, names }: NoticeProps) {
  const { role } = useOrganization()
  const vaultId = vault.id
  const change = (label: ReactNode) =>
    role === 'owner' ? (
      <PolicyLink vaultId={vaultId} look={small}>
        {label}
      </PolicyLink>
    ) : (
      <span className="text-muted text-sm">
        <Trans>An owner can change the policy.</Trans>
      </span>
    )
  const list = (label: ReactNode) =>
    role === 'owner' ? (
      <VaultRecipientsLink vaultId={vaultId} look={small}>
        {label}
      </VaultRecipientsLink>
    ) : (
      <span className="text-muted text-sm">
        <Trans>An owner can change the list.</Trans>
      </span>
    )
  const notice = (title: ReactNode, action: ReactNode, children?: ReactNode) => (
    <Notice tone={TONES[warning.id] ?? 'warn'} title={title} actions={action}>
      {children}
    </Notice>
  )
  const addresses = 'addresses' in warning && (
    <AddressList addresses={warning.addresses} names={names} />
  )
  switch (warning.id) {
    case 'expired':
      return notice(
        <Trans>
          The policy has ended <Moment at={warning.at} />. The vault pays nothing.
        </Trans>,
        change(<Trans>Set a new policy</Trans>),
      )
    case 'expires_soon':
      return notice(
        <Trans>
          The policy ends <Moment at={warning.at} />. Afterwards the vault pays nothing.
        </Trans>,
        change(<Trans>Extend it</Trans>),
      )
    case 'paused':
      return notice(
        <Trans>All payments are stopped. The owner of the vault can start them again.</Trans>,
        <Unpause vault={vault} />,
      )
    case 'extra_approvers':
      return notice(
        <Trans>These wallets are no longer approvers, but the vault still accepts them</Trans>,
        change(<Trans>Remove with a new policy</Trans>),
        <RevokeList vault={vault} addresses={warning.addresses} names={names} />,
      )
    case 'extra_recipients':
      return notice(
        <Trans>These recipients are deactivated, but the vault would still pay them</Trans>,
        list(<Trans>Remove from the list</Trans>),
        addresses,
      )
    case 'missing_recipients':
      return notice(
        <Trans>These recipients are not in the vault's list yet, so they cannot be paid</Trans>,
        list(<Trans>Add to the list</Trans>),
        addresses,
      )
    case 'missing_approvers':
      return notice(
        <Trans>These wallets are approvers, but the vault does not know them yet</Trans>,
        change(<Trans>Add with a new policy</Trans>),
        addresses,
      )
    case 'executor_differs':
      return notice(
        <Trans>The policy does not name the newest executor of the organization</Trans>,
        change(<Trans>Set a new policy</Trans>),
        <ExecutorLink>
          <Trans>See the executors</Trans>
        </ExecutorLink>,
      )
    case 'below_reserve':
      return notice(
        <Trans>The balance is not above the reserve, so nothing can be paid</Trans>,
        <VaultLink vaultId={vaultId} hash="deposit" look={small}>
          <Trans>Deposit</Trans>
        </VaultLink>,
      )
    case 'gas_low':
      return <GasWarning address={warning.address} />
  }
}

function GasWarning({ address }: { address: string }) {
  const look = useReconcile(<Trans context="executor">Look again</Trans>)
  return (
    <Notice
      tone="warn"
      title={<Trans>The executor is low on gas, so payments may wait</Trans>}
      actions={look.button}
    >
      <p>
        <SendGas />
      </p>
      <Address address={address} />
      {look.failure}
    </Notice>
  )
}
