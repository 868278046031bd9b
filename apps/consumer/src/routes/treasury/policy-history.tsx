import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf, ItemOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Mark, type MarkKind } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { useKept } from '../../wallet/kept.ts'
import { TransactionHash } from '../../wallet/transaction-hash.tsx'
import { DifferenceView } from './difference-view.tsx'
import { useIntentFailureText } from './intent-failures.ts'
import { isOvertaken } from './intent-steps.ts'
import { keptPolicy } from './kept-transactions.ts'
import { differenceFromChanges } from './policy-difference.ts'

type Intent = ItemOf<'listPolicyIntents'>
type Props = { vault: DataOf<'getVault'>; names: ReadonlyMap<string, string> }

const KINDS: Record<Intent['state'], MarkKind> = {
  prepared: 'sign',
  submitted: 'working',
  reconciling: 'warning',
  confirmed: 'done',
  rejected: 'ended',
  failed: 'ended',
}

/** Every policy that was prepared here, newest first. */
export function PolicyHistory({ vault, names }: Props) {
  const { id: organizationId } = useOrganization()
  const intents = useAllPages('listPolicyIntents', 'policyIntents', {
    path: { organizationId, vaultId: vault.id },
  })
  return (
    <Section title={<Trans>Changes that were prepared</Trans>}>
      <Card isFlush>
        <ReadView of={intents} lines={2}>
          {() => <HistoryList intents={intents.rows} vault={vault} names={names} />}
        </ReadView>
      </Card>
    </Section>
  )
}

function HistoryList({ intents, ...row }: Props & { intents: readonly Intent[] }) {
  const [isAll, setAll] = useState(false)
  const overtaken = new Set(intents.filter((intent) => isOvertaken(intent, intents)))
  const count = overtaken.size
  if (intents.length === 0) {
    return (
      <p className="px-5 py-4 text-muted">
        <Trans>None yet. Every policy and list of recipients prepared here is listed.</Trans>
      </p>
    )
  }
  return (
    <>
      <ul className="divide-y divide-line">
        {intents
          .filter((intent) => isAll || !overtaken.has(intent))
          .map((intent) => (
            <HistoryRow
              key={intent.id}
              intent={intent}
              isOvertaken={overtaken.has(intent)}
              {...row}
            />
          ))}
      </ul>
      {count > 0 && !isAll && (
        <div className="border-line border-t px-3 py-2">
          <Button size="small" look="quiet" onClick={() => setAll(true)}>
            <Plural
              value={count}
              one="Show # that was superseded"
              other="Show # that were superseded"
            />
          </Button>
        </div>
      )}
    </>
  )
}

type RowProps = Props & { intent: Intent; isOvertaken: boolean }

function HistoryRow({ intent, isOvertaken: isOver, vault, names }: RowProps) {
  const vaultId = vault.id
  const version = vault.policy?.version ?? 0
  const { t } = useLingui()
  const { id: organizationId, role } = useOrganization()
  const failureText = useIntentFailureText()
  const navigate = useNavigate()
  const [kept, keep] = useKept(`policy.${vaultId}`, keptPolicy)
  const { state, policyVersion, failureCode, displayName, transactionHash } = intent
  const words: Record<Intent['state'], string> = {
    prepared: isOver ? t`Superseded` : t`Waiting for the owner's wallet`,
    submitted: intent.activatesAt ? t`Waiting` : t`Sent`,
    reconciling: t`Not seen on chain yet`,
    confirmed:
      intent.kind === 'recipients'
        ? t({ message: 'Done', context: 'policy change' })
        : policyVersion === version
          ? t`In force`
          : t`Was in force`,
    rejected: t`Not applied`,
    failed: t`Not applied`,
  }
  const proceed = async () => {
    const isOwn = kept?.intentId === intent.id
    if (!isOwn) {
      keep({
        intentId: intent.id,
        expectedVersion: version,
        expectedRecipientsVersion: vault.recipientsVersion,
        isOwn,
        policy: intent,
        hash: null,
      })
    }
    await navigate({
      to: '/organizations/$organizationId/treasury/$vaultId/policy',
      params: { organizationId, vaultId },
    })
  }
  return (
    <li>
      <details className="px-4 py-3 sm:px-5">
        <summary className="cursor-pointer">
          <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-x-3 gap-y-1 ps-1 align-top">
            <span className="font-medium">
              {intent.kind === 'recipients' ? (
                <Trans>Recipients</Trans>
              ) : policyVersion ? (
                <Trans>Version {policyVersion}</Trans>
              ) : (
                <Trans>Policy</Trans>
              )}
            </span>
            <Mark kind={isOver ? 'ended' : KINDS[state]}>{words[state]}</Mark>
            <span className="text-muted text-sm">
              {displayName && <bdi>{displayName}, </bdi>}
              <Moment at={intent.createdAt} />
            </span>
          </span>
        </summary>
        <div className="mt-3 flex flex-col gap-3">
          {failureCode && <p className="text-sm">{failureText(failureCode)}</p>}
          {transactionHash && <TransactionHash hash={transactionHash} />}
          <DifferenceView difference={differenceFromChanges(intent.changes)} names={names} />
          {state === 'prepared' && !isOver && (
            <div>
              <Button
                size="small"
                reason={role === 'owner' ? undefined : t`Only an owner can sign it.`}
                onClick={() => void proceed()}
              >
                <Trans>Review and sign</Trans>
              </Button>
            </div>
          )}
        </div>
      </details>
    </li>
  )
}
