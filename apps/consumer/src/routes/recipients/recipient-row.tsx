import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Address, ShortAddress } from '@countersign/ui/address.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useId } from 'react'
import { useExplorer } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'
import type { PolicyLists } from '../../data/policy-lists.ts'
import { standingIn } from './standing.ts'
import { VaultStanding } from './vault-standing.tsx'

export type Recipient = ItemOf<'listRecipients'>
type PaidSoFar = { count: number; amountBaseUnits: string }

type Props = {
  recipient: Recipient
  /** Undefined while the vaults are being read. */
  policies: readonly PolicyLists[] | undefined
  paid: PaidSoFar | undefined
  isOpen: boolean
  onToggle(): void
  reason: string | undefined
  onRename(): void
  onDeactivate(): void
}

function PolicyMark({ recipient, policies }: Pick<Props, 'recipient' | 'policies'>) {
  const { t } = useLingui()
  if (!recipient.active) return <Mark kind="ended">{t`Deactivated`}</Mark>
  const withPolicy = policies?.filter(({ recipients }) => recipients !== null) ?? []
  if (withPolicy.length === 0) return null
  const standings = withPolicy.map((lists) => standingIn(lists, recipient.address))
  const payable = standings.filter((standing) => standing === 'payable').length
  if (payable === standings.length) return <Mark kind="done">{t`Can be paid`}</Mark>
  if (payable > 0) {
    return <Mark kind="done">{t`By ${payable} of ${standings.length} vaults`}</Mark>
  }
  if (standings.includes('pending')) return <Mark kind="waiting">{t`Waiting`}</Mark>
  if (standings.includes('blocked')) {
    return <Mark kind="blocked">{t({ message: 'Blocked', context: 'recipient' })}</Mark>
  }
  return <Mark kind="warning">{t`Not listed`}</Mark>
}

export function RecipientRow({ recipient, policies, paid, isOpen, onToggle, ...more }: Props) {
  const detailsId = useId()
  const { id: organizationId } = useOrganization()
  const { label, address, active } = recipient
  const explorerUrl = useExplorer().address(address)
  return (
    <div className="border-line border-b">
      <button
        type="button"
        data-row
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={onToggle}
        className="press flex w-full flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-start hover:bg-hover sm:px-5"
      >
        <span className="min-w-0 flex-1 basis-48">
          <span className={active ? 'block truncate font-medium' : 'block truncate text-muted'}>
            <bdi>{label}</bdi>
          </span>
          {paid && (
            <span className="text-muted text-sm">
              <Plural value={paid.count} one="paid once" other="paid # times" />,{' '}
              <Money baseUnits={paid.amountBaseUnits} />
            </span>
          )}
        </span>
        <span className="flex items-center gap-3 max-sm:w-full max-sm:justify-between">
          <ShortAddress address={address} />
          <PolicyMark recipient={recipient} policies={policies} />
          <ChevronDown
            className={isOpen ? 'size-4 rotate-180 text-muted' : 'size-4 text-muted'}
            aria-hidden="true"
          />
        </span>
      </button>
      <div id={detailsId} hidden={!isOpen} className="px-4 pb-4 sm:px-5">
        {isOpen && (
          <div className="flex flex-col gap-3">
            <Address address={address} explorerUrl={explorerUrl} />
            {(policies ?? []).map((lists) => (
              <VaultStanding key={lists.vaultId} {...{ lists, recipient }} />
            ))}
            {active && (
              <div className="flex flex-wrap gap-2">
                <Link
                  to="/organizations/$organizationId/expenses/new"
                  params={{ organizationId }}
                  search={{ recipient: recipient.id }}
                  className={buttonStyle({ size: 'small' })}
                >
                  <Trans>New expense</Trans>
                </Link>
                <Button size="small" reason={more.reason} onClick={more.onRename}>
                  <Trans>Rename</Trans>
                </Button>
                <Button size="small" reason={more.reason} onClick={more.onDeactivate}>
                  <Trans>Deactivate</Trans>
                </Button>
              </div>
            )}
          </div>
        )}
      </div>
    </div>
  )
}
