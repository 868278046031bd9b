import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Fact, Facts, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'
import { BlockDialog } from '../../wallet/block-dialog.tsx'
import { useDialogHost } from '../../wallet/dialog-host.tsx'
import { AddressDetails } from './address-details.tsx'
import { standingsOf } from './recipient-standings.ts'
import { VaultRecipientsLink } from './treasury-link.tsx'

type Vault = DataOf<'getVault'>
type Props = { vault: Vault; names: ReadonlyMap<string, string> }

/** Whom the vault pays, whom it will pay, and whom it refuses. */
export function VaultRecipients({ vault, names }: Props) {
  const { t } = useLingui()
  const { role } = useOrganization()
  const { payable, pending, blocked } = standingsOf(vault)
  const isUsable = vault.status === 'verified' && vault.archivedAt === null
  const change =
    role === 'owner' && isUsable ? (
      <VaultRecipientsLink vaultId={vault.id} look={{ look: 'secondary', size: 'small' }}>
        <Trans>Change the list</Trans>
      </VaultRecipientsLink>
    ) : (
      <Button
        size="small"
        reason={
          isUsable
            ? t`Only an owner can change the list.`
            : t`The list of a vault that is archived or not verified cannot be changed.`
        }
      >
        <Trans>Change the list</Trans>
      </Button>
    )
  return (
    <Section title={<Trans>Recipients</Trans>} actions={change}>
      <Card>
        <Facts>
          <Fact term={<Trans>Can be paid</Trans>}>
            <AddressDetails
              addresses={payable}
              names={names}
              summary={<Plural value={payable.length} one="# address" other="# addresses" />}
            />
          </Fact>
          {pending.length > 0 && (
            <Fact term={<Trans>Waiting</Trans>}>
              <ul className="flex flex-col gap-3">
                {pending.map(({ address, allowedFrom }) => (
                  <li key={address}>
                    <Address address={address} name={names.get(address.toLowerCase())} />
                    <span className="text-muted text-sm">
                      <Trans>
                        can be paid <Moment at={allowedFrom} />, from{' '}
                        <Moment at={allowedFrom} style="full" /> on
                      </Trans>
                    </span>
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          {blocked.length > 0 && (
            <Fact term={<Trans context="recipient">Blocked</Trans>}>
              <ul className="flex flex-col gap-3">
                {blocked.map((address) => (
                  <BlockedAddress key={address} {...{ vault, address, names }} />
                ))}
              </ul>
            </Fact>
          )}
        </Facts>
      </Card>
    </Section>
  )
}

function BlockedAddress({ vault, address, names }: Props & { address: string }) {
  const { show, close } = useDialogHost()
  const name = names.get(address.toLowerCase())
  const ask = () =>
    show(<BlockDialog kind="unblock" {...{ vault, address, name }} onClose={close} />)
  return (
    <li className="flex flex-wrap items-start justify-between gap-2">
      <Address address={address} name={name} />
      <Button size="small" onClick={ask}>
        <Trans>Unblock</Trans>
      </Button>
    </li>
  )
}
