import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment, useNow } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Hex } from 'viem'
import { useDialogHost } from '../../wallet/dialog-host.tsx'
import { OwnerCallDialog } from '../../wallet/owner-call-dialog.tsx'
import { TransactionHash } from '../../wallet/transaction-hash.tsx'
import { placeOf } from '../../wallet/vault-calls.ts'
import { DifferenceView } from './difference-view.tsx'
import { changedOnly, differenceOf } from './policy-difference.ts'
import { chainTermsOf } from './requested-calls.ts'
import { isAsProposed, type Proposal, stageOf } from './vault-proposal.ts'

type Vault = DataOf<'getVault'>
type Props = { vault: Vault; proposal: Proposal; names: ReadonlyMap<string, string> }

const SECOND_MS = 1_000

/** A policy that waits: what it changes, when it comes into force, and how to stop it. */
export function ProposalCard({ vault, proposal, names }: Props) {
  const { t } = useLingui()
  const now = useNow(SECOND_MS)
  const stage = stageOf(proposal, now)
  const isRight = isAsProposed(proposal)
  const recipientAddresses = vault.policy?.recipientAddresses ?? []
  const difference = differenceOf(vault.policy, { ...proposal.policy, recipientAddresses })
  return (
    <Section
      title={<Trans>A new policy waits</Trans>}
      note={
        stage === 'waiting' ? (
          <Mark kind="waiting">{t`Waiting`}</Mark>
        ) : stage === 'due' ? (
          <Mark kind="sign">{t`Can come into force`}</Mark>
        ) : (
          <Mark kind="ended">{t`Void`}</Mark>
        )
      }
    >
      <Card>
        <div className="flex flex-col gap-4">
          <Timing proposal={proposal} stage={stage} now={now} />
          {proposal.activationCode !== null && stage === 'due' && (
            <Notice tone="warn" title={<Trans>The service cannot put it into force</Trans>}>
              <ActivationProblem code={proposal.activationCode} />
            </Notice>
          )}
          {!proposal.prepared && (
            <Notice tone="bad" title={<Trans>Nobody prepared this policy here</Trans>}>
              <Trans>
                The vault's owner signed it elsewhere. If you do not know why, stop it now, and ask
                the owner.
              </Trans>
            </Notice>
          )}
          {isRight ? (
            <DifferenceView difference={changedOnly(difference)} names={names} />
          ) : (
            <Notice
              tone="bad"
              title={<Trans>The service describes another policy than the one that waits</Trans>}
            >
              <Trans>Its hash does not fit. Stop it, and contact support.</Trans>
            </Notice>
          )}
          <TransactionHash hash={proposal.transactionHash} />
          {stage !== 'void' && (
            <ProposalActions {...{ vault, proposal }} isDue={stage === 'due' && isRight} />
          )}
        </div>
      </Card>
    </Section>
  )
}

function ActivationProblem({ code }: { code: string }) {
  switch (code) {
    case 'gas_missing':
      return <Trans>The executor has too little gas. Send it some, or use your own wallet.</Trans>
    case 'fees_above_ceiling':
      return <Trans>The chain asks for higher fees than the service may pay.</Trans>
    default:
      return (
        <Trans>
          Put it into force with your own wallet. The reason is{' '}
          <span translate="no" className="font-mono">
            {code}
          </span>
          .
        </Trans>
      )
  }
}

type TimingProps = { proposal: Proposal; stage: ReturnType<typeof stageOf>; now: Date }

function Timing({ proposal: { activatesAt, expiresAt }, stage, now }: TimingProps) {
  if (stage === 'void') {
    return (
      <p>
        <Trans>
          It was not put into force in time, so it became void on{' '}
          <Moment at={expiresAt} style="full" />.
        </Trans>
      </p>
    )
  }
  if (stage === 'due') {
    return (
      <p>
        <Trans>
          Its waiting time ended on <Moment at={activatesAt} style="full" />. The service puts it
          into force by itself; if it does not, any wallet can until{' '}
          <Moment at={expiresAt} style="full" />.
        </Trans>
      </p>
    )
  }
  return (
    <p>
      <Trans>
        It comes into force <Moment at={activatesAt} style="full" />, in{' '}
        <Countdown until={activatesAt} now={now} />. Until then the owner and every approver can
        stop it.
      </Trans>
    </p>
  )
}

const two = (value: number): string => value.toString().padStart(2, '0')

function Countdown({ until, now }: { until: string; now: Date }) {
  const rest = Math.max(0, Math.ceil((Date.parse(until) - now.getTime()) / SECOND_MS))
  const [hours, minutes, seconds] = [
    Math.floor(rest / 3_600),
    Math.floor(rest / 60) % 60,
    rest % 60,
  ]
  return (
    <span role="timer" translate="no" className="figures font-medium">
      {`${hours}:${two(minutes)}:${two(seconds)}`}
    </span>
  )
}

type ActionProps = Pick<Props, 'vault' | 'proposal'> & { isDue: boolean }

function ProposalActions({ vault, proposal, isDue }: ActionProps) {
  const { t } = useLingui()
  const { show, close } = useDialogHost()
  const { policy, expectedVersion } = proposal
  const veto = () =>
    show(
      <OwnerCallDialog
        call={{ name: 'veto', proposalId: proposal.id as Hex }}
        place={placeOf(vault)}
        anyOf={[vault.ownerAddress, ...(vault.policy?.approverAddresses ?? [])]}
        title={<Trans>Stop the policy that waits?</Trans>}
        label={t`Stop it in the wallet`}
        done={<Trans>The policy is stopped</Trans>}
        onClose={close}
      >
        <p>
          <Trans>
            It never comes into force. The policy of today stays as it is. To try again, the owner
            has to sign a new one.
          </Trans>
        </p>
      </OwnerCallDialog>,
    )
  const activate = () =>
    show(
      <OwnerCallDialog
        call={{
          name: 'activatePolicy',
          expectedVersion: BigInt(expectedVersion),
          policy: chainTermsOf(policy),
        }}
        place={placeOf(vault)}
        look="primary"
        title={<Trans>Put the policy into force?</Trans>}
        label={t`Put it into force in the wallet`}
        done={<Trans>The policy is in force</Trans>}
        onClose={close}
      >
        <p>
          <Trans>
            Any account can send this, and it only pays for gas: the owner has signed the policy
            already. A pause made since then stays.
          </Trans>
        </p>
      </OwnerCallDialog>,
    )
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="danger" onClick={veto}>
        <Trans>Stop it</Trans>
      </Button>
      {isDue && (
        <Button look="primary" onClick={activate}>
          <Trans>Put it into force</Trans>
        </Button>
      )}
    </div>
  )
}
