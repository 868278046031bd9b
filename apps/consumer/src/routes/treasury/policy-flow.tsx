import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Hex } from 'viem'
import { useOrganization } from '../../data/organization.tsx'
import { useKept } from '../../wallet/kept.ts'
import { IntentProgress } from './intent-progress.tsx'
import { currentOf, isOldNews } from './intent-steps.ts'
import { type KeptPolicy, keptPolicy } from './kept-transactions.ts'
import { PolicySigning } from './policy-signing.tsx'
import type { PolicyTerms } from './policy-terms.ts'
import { VaultLink } from './treasury-link.tsx'
import { useArrival } from './use-arrival.ts'
import { useDismissed, usePolicyIntents } from './use-intents.ts'

type Props = {
  vault: DataOf<'getVault'>
  names: ReadonlyMap<string, string>
  /** Each page remembers its own: the end of one change is not in the way of the other. */
  of: 'policy' | 'recipients'
  /** `typed`: what was typed before, after someone else was faster. */
  editor(typed: PolicyTerms | null, onPrepared: (kept: KeptPolicy) => void): ReactNode
}

/** Edit, sign, wait. Where it stands is read from the service, so a reload changes nothing. */
export function PolicyFlow({ vault, names, of, editor }: Props) {
  const { id: organizationId } = useOrganization()
  const [kept, keep] = useKept(`${of}.${vault.id}`, keptPolicy)
  const [dismissed, dismiss] = useDismissed(vault.id)
  const [typed, setTyped] = useState<PolicyTerms | null>(null)
  const intents = usePolicyIntents(vault.id)
  const confirm = useAction('confirmPolicy', [
    'listPolicyIntents',
    'getVault',
    'getTreasuryOverview',
  ])
  const rows = (intents.data?.policyIntents ?? []).filter((row) => !isOldNews(row, new Date()))
  const intent = currentOf(rows, { keptId: kept?.intentId, dismissed })
  const own = kept && kept.intentId === intent?.id ? kept : null
  const submit = (transactionHash: Hex) => {
    if (!intent) return
    void confirm.run({
      path: { organizationId, vaultId: vault.id, intentId: intent.id },
      body: { transactionHash },
    })
  }
  // A hash that was sent before a reload, and that the service was not told.
  const resumed = useRef<string | null>(null)
  useEffect(() => {
    const hash = own?.hash
    if (intent?.state !== 'prepared' || !hash || resumed.current === hash) return
    resumed.current = hash
    submit(hash)
  })
  const again = () => {
    if (own) setTyped(own.policy)
    if (intent?.state === 'failed') dismiss(intent.id)
    keep(null)
    confirm.reset()
  }
  const version = intent?.policyVersion
  const remaining = intent?.remainingRecipientChanges ?? 0
  return (
    <ReadView of={intents} lines={6}>
      {() =>
        !intent ? (
          editor(typed, keep)
        ) : intent.state === 'prepared' && own?.hash === null ? (
          <PolicySigning
            vault={vault}
            intent={intent}
            kept={own}
            names={names}
            onAgain={again}
            onSent={(hash) => {
              keep({ ...own, hash })
              resumed.current = hash
              submit(hash)
            }}
          />
        ) : (
          <ProgressCard>
            <IntentProgress
              intent={intent}
              keptHash={own?.hash ?? null}
              onSubmit={submit}
              isBusy={confirm.isBusy}
              failure={confirm.failure}
              onAgain={again}
              proposed={
                <Notice
                  tone="info"
                  isLive
                  title={<Trans>The policy waits</Trans>}
                  actions={
                    <>
                      <VaultLink vaultId={vault.id} look={{ look: 'primary', size: 'small' }}>
                        <Trans>Open the vault</Trans>
                      </VaultLink>
                      <Button size="small" onClick={again}>
                        <Trans>Prepare another</Trans>
                      </Button>
                    </>
                  }
                >
                  <Trans>
                    The owner and every approver were told what it changes. Until it comes into
                    force, any of them can stop it on the page of the vault.
                  </Trans>
                </Notice>
              }
              done={
                <Notice
                  tone="ok"
                  isLive
                  title={
                    intent.kind === 'recipients' ? (
                      <Trans>The list of recipients is changed</Trans>
                    ) : (
                      <Trans>Version {version} is in force</Trans>
                    )
                  }
                  actions={
                    <>
                      <VaultLink vaultId={vault.id} look={{ look: 'primary', size: 'small' }}>
                        <Trans>Open the vault</Trans>
                      </VaultLink>
                      <Button
                        size="small"
                        onClick={() => {
                          setTyped(null)
                          keep(null)
                        }}
                      >
                        <Trans>Change it again</Trans>
                      </Button>
                    </>
                  }
                >
                  {remaining > 0 && (
                    <Plural
                      value={remaining}
                      one="# recipient did not fit into this transaction. Prepare it again."
                      other="# recipients did not fit into this transaction. Prepare it again."
                    />
                  )}
                </Notice>
              }
            />
          </ProgressCard>
        )
      }
    </ReadView>
  )
}

function ProgressCard({ children }: { children: ReactNode }) {
  const arrival = useArrival<HTMLDivElement>()
  return (
    <div ref={arrival} tabIndex={-1} className="outline-none">
      <Card>{children}</Card>
    </div>
  )
}
