import type { DataOf, ItemOf } from '@countersign/client/operation-types.ts'
import { checkOwnerTransaction } from '@countersign/client/owner-transactions.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Fact, Facts, Section } from '@countersign/ui/page.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Hex } from 'viem'
import { useOrganization } from '../../data/organization.tsx'
import { SendCall } from '../../wallet/send-call.tsx'
import { useWallet } from '../../wallet/use-wallet.ts'
import { ChainGate } from './chain-gate.tsx'
import { DifferenceView } from './difference-view.tsx'
import type { KeptPolicy } from './kept-transactions.ts'
import {
  changedOnly,
  differenceOf,
  disagreements,
  isRecipientsOnly,
  type PolicyDifference,
} from './policy-difference.ts'
import { requestedPolicy } from './requested-calls.ts'
import { useArrival } from './use-arrival.ts'
import { WhenItCounts } from './when-it-counts.tsx'
import { worstCaseOf } from './worst-case.ts'
import { WorstCaseView } from './worst-case-view.tsx'

type Props = {
  vault: DataOf<'getVault'>
  intent: ItemOf<'listPolicyIntents'>
  kept: KeptPolicy
  names: ReadonlyMap<string, string>
  onSent(hash: Hex): void
  onAgain(): void
}

const Checked = ({ children }: { children: ReactNode }) => (
  <li className="flex items-start gap-2">
    <Check className="mt-0.5 size-4 shrink-0 text-ok" aria-hidden="true" />
    <span>{children}</span>
  </li>
)

/** What the owner signs: the difference in words, what was checked here, then the wallet. */
export function PolicySigning({ vault, intent, kept, names, onSent, onAgain }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const { config } = useOrganization()
  const used = useWallet()
  const arrival = useArrival<HTMLHeadingElement>()
  const difference = differenceOf(vault.policy, kept.policy, vault.earlyRecipientAddresses)
  const check = checkOwnerTransaction(
    intent,
    requestedPolicy(kept.policy, difference, {
      chainId: config.chain.id,
      vaultAddress: vault.address,
      expectedVersion: kept.expectedVersion,
      expectedRecipientsVersion: kept.expectedRecipientsVersion,
    }),
    config.token,
  )
  const disputed = disagreements(difference, intent.changes)
  const now = vault.policy?.version ?? 0
  const isOutdated = now !== kept.expectedVersion
  const isOtherList = vault.recipientsVersion !== kept.expectedRecipientsVersion
  const gas = new Intl.NumberFormat(region).format(Number(BigInt(intent.transaction.gas)))
  if (isOutdated || isOtherList) {
    return (
      <Notice
        tone="warn"
        isLive
        title={
          isOutdated ? (
            <Trans>Someone configured version {now} meanwhile</Trans>
          ) : (
            <Trans>Someone changed the list of recipients meanwhile</Trans>
          )
        }
        actions={
          <Button size="small" onClick={onAgain}>
            <Trans>Look at the difference again</Trans>
          </Button>
        }
      >
        <Trans>The vault would refuse what was prepared before. What you typed is kept.</Trans>
      </Notice>
    )
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card>
        <h2 ref={arrival} tabIndex={-1} className="mb-3 font-semibold text-lg outline-none">
          <Trans>What you are about to sign</Trans>
        </h2>
        {!kept.isOwn && (
          <div className="mb-4">
            <Notice tone="warn" title={<Trans>This was not prepared in this browser</Trans>}>
              <Trans>
                So it cannot be compared with what was typed. Read every line, and sign only if you
                agree with all of it.
              </Trans>
            </Notice>
          </div>
        )}
        <DifferenceView
          difference={isRecipientsOnly(difference) ? changedOnly(difference) : difference}
          names={names}
        />
        <div className="mt-4 flex flex-col gap-4">
          <WhenItCounts vault={vault} difference={difference} />
          <WorstCaseView
            worst={worstCaseOf(kept.policy, {
              balanceBaseUnits: vault.balanceBaseUnits,
              spentTotal: vault.policy?.spentTotal ?? '0',
            })}
          />
        </div>
      </Card>
      <Card>
        <h2 className="mb-3 font-semibold text-lg">
          <Trans>Sign in the wallet</Trans>
        </h2>
        <div className="flex flex-col gap-4">
          <Facts>
            <Fact term={<Trans>Vault</Trans>}>
              <Address address={vault.address} name={vault.label} />
            </Fact>
            <Fact term={<Trans>Owner</Trans>}>
              <Address
                address={vault.ownerAddress}
                name={names.get(vault.ownerAddress.toLowerCase())}
              />
            </Fact>
            <Fact term={<Trans>Network</Trans>}>
              <bdi>{config.chain.name}</bdi>
            </Fact>
            <Fact term={<Trans>Gas limit</Trans>}>
              <span className="figures">{gas}</span>
            </Fact>
          </Facts>
          {check.ok && (
            <Section title={<Trans>Checked here, in this page</Trans>}>
              <ul className="flex flex-col gap-1.5 text-sm">
                <Checked>
                  {kept.isOwn ? (
                    <Trans>the data was decoded here and does exactly what was edited</Trans>
                  ) : (
                    <Trans>the data was decoded here and does exactly what is shown</Trans>
                  )}
                </Checked>
                {disputed.length === 0 && (
                  <Checked>
                    <Trans>the service describes the same changes</Trans>
                  </Checked>
                )}
              </ul>
            </Section>
          )}
          {check.ok && disputed.length > 0 ? (
            <Disputed fields={disputed} />
          ) : (
            <SendCall
              check={check}
              used={used}
              anyOf={[vault.ownerAddress]}
              label={t`Sign and send in the wallet`}
              onSent={onSent}
              gate={(ready, send) => (
                <ChainGate
                  ready={ready}
                  vault={vault}
                  told={{
                    ownerAddress: vault.ownerAddress,
                    version: kept.expectedVersion,
                    recipientsVersion: kept.expectedRecipientsVersion,
                    policy: vault.policy,
                  }}
                  difference={difference satisfies PolicyDifference}
                  onAgain={onAgain}
                >
                  {send}
                </ChainGate>
              )}
            />
          )}
          <div>
            <Button look="quiet" size="small" onClick={onAgain}>
              <Trans>Change something</Trans>
            </Button>
          </div>
        </div>
      </Card>
    </div>
  )
}

const Disputed = ({ fields }: { fields: readonly string[] }) => (
  <Notice
    tone="bad"
    isLive
    title={<Trans>Do not sign: the service describes other changes than this page computed</Trans>}
  >
    <ul className="font-mono">
      {fields.map((field) => (
        <li key={field}>{field}</li>
      ))}
    </ul>
  </Notice>
)
