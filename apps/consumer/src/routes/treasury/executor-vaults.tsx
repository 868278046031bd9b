import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'
import { type Naming, namingOf } from './executor-rotation.ts'
import { PolicyLink, VaultLink } from './treasury-link.tsx'
import { useOnlyOwners } from './use-only-owners.ts'

type Vault = DataOf<'getVault'>
type Props = { vaults: readonly Vault[]; newest: string }

/** Which vaults name the newest executor, and the step for those that do not. */
export function ExecutorVaults({ vaults, newest }: Props) {
  const { t } = useLingui()
  if (vaults.length === 0) return null
  return (
    <Section title={<Trans>Named by the policies</Trans>}>
      <Card isFlush>
        <ul className="divide-y divide-line" aria-label={t`Vaults and the executor they name`}>
          {vaults.map((vault) => (
            <VaultRow key={vault.id} vault={vault} naming={namingOf(vault, newest)} />
          ))}
        </ul>
      </Card>
    </Section>
  )
}

function VaultRow({ vault, naming }: { vault: Vault; naming: Naming }) {
  const { role } = useOrganization()
  const onlyOwners = useOnlyOwners()
  const isOpen = naming === 'other' || naming === 'no_policy'
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <VaultLink vaultId={vault.id}>
          <bdi className="font-medium">{vault.label}</bdi>
        </VaultLink>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-sm">
          <NamingWords naming={naming} activatesAt={vault.proposal?.activatesAt} />
        </p>
      </div>
      {isOpen &&
        (role === 'owner' ? (
          <PolicyLink vaultId={vault.id} look={{ look: 'primary', size: 'small' }}>
            <Trans>Prepare its policy</Trans>
          </PolicyLink>
        ) : (
          <Button size="small" reason={onlyOwners}>
            <Trans>Prepare its policy</Trans>
          </Button>
        ))}
    </li>
  )
}

type WordsProps = { naming: Naming; activatesAt: string | undefined }

function NamingWords({ naming, activatesAt }: WordsProps) {
  const { t } = useLingui()
  switch (naming) {
    case 'named':
      return <Mark kind="done">{t`Names the newest executor`}</Mark>
    case 'proposed':
      return (
        <>
          <Mark kind="waiting">{t`A policy that names it waits`}</Mark>
          {activatesAt && (
            <span>
              <Trans>
                in force <Moment at={activatesAt} />
              </Trans>
            </span>
          )}
        </>
      )
    case 'other':
      return <Mark kind="sign">{t`Names an older executor`}</Mark>
    case 'no_policy':
      return <Mark kind="draft">{t`No policy yet`}</Mark>
  }
}
