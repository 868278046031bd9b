import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { useNow } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { DifferenceView } from './difference-view.tsx'
import type { KeptPolicy } from './kept-transactions.ts'
import { parseForm } from './parse-policy.ts'
import { differenceOf, isChanged, isRecipientsOnly } from './policy-difference.ts'
import { PolicyFields } from './policy-fields.tsx'
import { PolicyPeople } from './policy-people.tsx'
import {
  extendedFrom,
  firstTerms,
  formOf,
  type PolicyLists,
  type PolicyTerms,
} from './policy-terms.ts'
import { ProposalNotice } from './proposal-notice.tsx'
import { PeopleLink } from './treasury-link.tsx'
import { usePreparePolicy } from './use-prepare-policy.ts'
import { worstCaseOf } from './worst-case.ts'
import { WorstCaseView } from './worst-case-view.tsx'

type Props = {
  vault: DataOf<'getVault'>
  lists: PolicyLists
  approverPeople: number
  names: ReadonlyMap<string, string>
  /** What was typed before, after someone else was faster. */
  typed: PolicyTerms | null
  onPrepared(kept: KeptPolicy): void
}

export function PolicyEditor(props: Props) {
  const { vault, lists, approverPeople, names, typed, onPrepared } = props
  const region = useRegion()
  const { config } = useOrganization()
  const units = { decimals: config.token.decimals, locale: region }
  const now = useNow()
  const { policy: inForce } = vault
  const version = inForce?.version ?? 0
  // The version that the person began with. A newer one changes nothing of what was typed.
  const [began, setBegan] = useState(version)
  const [form, setForm] = useState(() => {
    const start =
      typed ?? inForce ?? firstTerms({ ...vault, decimals: config.token.decimals }, new Date())
    return formOf(extendedFrom(start, new Date()), units)
  })
  const prepare = usePreparePolicy(vault, onPrepared)
  const parsed = parseForm(form, {
    ...units,
    now,
    inForce,
    spentTotal: inForce?.spentTotal ?? '0',
    approverPeople,
  })
  const policy = parsed.ok ? { ...parsed.terms, ...lists } : null
  const difference = policy && differenceOf(inForce, policy, vault.earlyRecipientAddresses)
  const hasApprover = lists.approverAddresses.length > 0

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (policy && parsed.ok && version === began) await prepare.run(parsed.terms, policy)
  }

  return (
    <form onSubmit={submit} noValidate className="grid items-start gap-6 lg:grid-cols-2">
      {version !== began && (
        <div className="lg:col-span-2">
          <Notice
            tone="warn"
            isLive
            title={<Trans>Someone set version {version} in the meantime</Trans>}
            actions={
              <>
                <Button size="small" onClick={() => setBegan(version)}>
                  <Trans>I have seen it. Go on with what I typed</Trans>
                </Button>
                {inForce && (
                  <Button
                    size="small"
                    look="quiet"
                    onClick={() => {
                      setForm(formOf(inForce, units))
                      setBegan(version)
                    }}
                  >
                    <Trans>Begin with version {version}</Trans>
                  </Button>
                )}
              </>
            }
          >
            <Trans>
              What you typed is still here. The difference now compares it with version {version}.
            </Trans>
          </Notice>
        </div>
      )}
      <div>
        <Card>
          <PolicyFields
            form={form}
            problems={parsed.problems}
            inForce={inForce}
            approverPeople={approverPeople}
            onChange={(part) => {
              setForm({ ...form, ...part })
              prepare.reset()
            }}
          />
        </Card>
        <Section title={<Trans>Who is listed</Trans>}>
          <Card>
            <PolicyPeople lists={lists} names={names} />
          </Card>
        </Section>
      </div>
      <div className="lg:sticky lg:top-20">
        <Card>
          <h2 className="mb-3 font-semibold text-lg">
            {inForce ? <Trans>What changes</Trans> : <Trans>The first policy</Trans>}
          </h2>
          {difference && policy ? (
            <div className="flex flex-col gap-4">
              <DifferenceView difference={difference} names={names} />
              <WorstCaseView
                worst={worstCaseOf(policy, {
                  balanceBaseUnits: vault.balanceBaseUnits,
                  spentTotal: inForce?.spentTotal ?? '0',
                })}
              />
            </div>
          ) : (
            <p className="text-muted">
              <Trans>Correct the marked fields to see what changes.</Trans>
            </p>
          )}
          <div className="mt-4 flex flex-col gap-3">
            {!hasApprover && (
              <Notice
                tone="warn"
                title={<Trans>A policy needs at least one approver</Trans>}
                actions={
                  <PeopleLink look={{ size: 'small' }}>
                    <Trans>Give a wallet the role</Trans>
                  </PeopleLink>
                }
              />
            )}
            <ProposalNotice vault={vault} />
            {inForce && difference && isRecipientsOnly(difference) && (
              <p className="text-muted text-sm">
                <Trans>
                  Only the list of recipients changes. The policy keeps its version, and approvals
                  that wait stay valid.
                </Trans>
              </p>
            )}
            {inForce && difference && !isRecipientsOnly(difference) && (
              <p className="text-muted text-sm">
                <Trans>
                  Approvals that were signed under version {inForce.version} and are not paid yet
                  have to be signed again.
                </Trans>
              </p>
            )}
            {prepare.failure && <FailureNotice failure={prepare.failure} />}
            <Button
              type="submit"
              look="primary"
              size="large"
              wide
              isBusy={prepare.isBusy}
              isDisabled={
                !difference || !isChanged(difference) || !hasApprover || version !== began
              }
            >
              <Trans>Prepare for signing</Trans>
            </Button>
            <p className="text-muted text-sm">
              {difference && !isChanged(difference) ? (
                <Trans>Nothing has changed yet.</Trans>
              ) : (
                <Trans>Nothing happens on the chain until your wallet has signed it.</Trans>
              )}
            </p>
          </div>
        </Card>
      </div>
    </form>
  )
}
