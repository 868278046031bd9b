import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Card, Empty, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { ShieldCheck } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { PolicyWords } from './policy-words.tsx'
import { PolicyLink } from './treasury-link.tsx'

type Props = {
  vault: DataOf<'getVault'>
  executor: DataOf<'getExecutor'>['binding'] | null
  names: ReadonlyMap<string, string>
}

export function PolicySection({ vault, executor, names }: Props) {
  const { t } = useLingui()
  const { role } = useOrganization()
  const { policy } = vault
  const isUsable = vault.status === 'verified' && vault.archivedAt === null
  const change =
    role === 'owner' && isUsable ? (
      <PolicyLink
        vaultId={vault.id}
        look={{ look: policy ? 'secondary' : 'primary', size: 'small' }}
      >
        {policy ? <Trans>Change</Trans> : <Trans>Set the policy</Trans>}
      </PolicyLink>
    ) : (
      <Button
        size="small"
        reason={
          isUsable
            ? t`Only an owner can change the policy.`
            : t`The policy of a vault that is archived or not verified cannot be changed.`
        }
      >
        <Trans>Change</Trans>
      </Button>
    )
  const version = policy?.version
  return (
    <Section
      title={<Trans>Policy</Trans>}
      note={version && <Trans>version {version}</Trans>}
      actions={policy && change}
    >
      {policy ? (
        <Card>
          <PolicyWords policy={policy} executor={executor} names={names} />
        </Card>
      ) : (
        <Empty
          icon={<ShieldCheck aria-hidden="true" />}
          title={<Trans>No policy yet</Trans>}
          action={change}
        >
          <Trans>
            Until there is one, nothing can be paid from this vault. Its owner can withdraw at any
            time.
          </Trans>
        </Empty>
      )}
    </Section>
  )
}
