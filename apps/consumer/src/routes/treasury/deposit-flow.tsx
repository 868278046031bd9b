import type { DataOf } from '@countersign/client/operation-types.ts'
import { checkOwnerTransaction } from '@countersign/client/owner-transactions.ts'
import { ShortAddress } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { type Step, Timeline } from '@countersign/ui/timeline.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getAddress, type Hex } from 'viem'
import { useOrganization } from '../../data/organization.tsx'
import type { ReadyWallet } from '../../wallet/account-gate.tsx'
import { useKept } from '../../wallet/kept.ts'
import { SendCall } from '../../wallet/send-call.tsx'
import { TransactionHash } from '../../wallet/transaction-hash.tsx'
import { useReadAgainAfter } from '../../wallet/use-after-transaction.ts'
import { useReceipt } from '../../wallet/use-receipt.ts'
import type { UsedWallet } from '../../wallet/use-wallet.ts'
import { type OwnCall, ownCall } from '../../wallet/vault-calls.ts'
import { AmountForm } from './amount-form.tsx'
import { depositStep, wayOutOf } from './deposit-steps.ts'
import { keptDeposit } from './kept-transactions.ts'
import { useWalletFunds } from './use-wallet-funds.ts'

type Props = { vault: DataOf<'getVault'>; ready: ReadyWallet; used: UsedWallet }

export function DepositFlow({ vault, ready, used }: Props) {
  const { t } = useLingui()
  const { config } = useOrganization()
  const [kept, keep] = useKept(`deposit.${vault.id}.${ready.account}`, keptDeposit)
  const allowed = useReceipt(ready.wallet, kept?.approveHash ?? null)
  const deposited = useReceipt(ready.wallet, kept?.depositHash ?? null)
  useReadAgainAfter(deposited)
  const { funds, again } = useWalletFunds(
    ready,
    {
      token: vault.tokenAddress,
      vault: vault.address,
      owner: vault.ownerAddress,
      chainId: vault.chainId,
    },
    `${allowed} ${deposited}`,
  )
  if (funds.state === 'no_vault') {
    return (
      <Notice tone="bad" isLive title={<Trans>Do not deposit. This is not the vault</Trans>}>
        <Trans>
          Your wallet read the contract at this address. It is not the published vault of this token
          and owner, so whatever you allow it to take may be lost. Contact support.
        </Trans>
      </Notice>
    )
  }
  if (funds.state !== 'read') {
    return funds.state === 'reading' ? (
      <p role="status" className="text-muted">
        <Trans>Your wallet reads its balance</Trans>
      </p>
    ) : (
      <Notice
        tone="warn"
        isLive
        title={<Trans>Your wallet could not read its balance</Trans>}
        actions={
          <Button size="small" onClick={again}>
            <Trans>Try again</Trans>
          </Button>
        }
      >
        <Trans>Is it on the network {config.chain.name}?</Trans>
      </Notice>
    )
  }
  const balance = (
    <Trans>
      <ShortAddress address={ready.account} /> has <Money baseUnits={funds.balance} />
    </Trans>
  )
  if (!kept) {
    return (
      <>
        <p className="mb-4 flex flex-wrap items-center gap-1.5">{balance}</p>
        <AmountForm
          label={t`Amount`}
          most={funds.balance}
          button={<Trans>Continue</Trans>}
          tooMuch={t`Your account has less than this.`}
          onAmount={(amount) =>
            keep({ amount: amount.toString(), approveHash: null, depositHash: null })
          }
        />
      </>
    )
  }
  const amount = BigInt(kept.amount)
  const step = depositStep({ amount, allowance: funds.allowance, allowed, deposited })
  const wayOut = wayOutOf(step)
  const place = { ...vault, vaultAddress: vault.address }
  const send = (call: OwnCall, label: string, onSent: (hash: Hex) => void) => {
    const { transaction, requested } = ownCall(call, place)
    return (
      <SendCall
        key={call.name}
        check={checkOwnerTransaction(transaction, requested, config.token)}
        used={used}
        anyOf={[ready.account]}
        label={label}
        onSent={onSent}
      />
    )
  }
  const isAllowed = ['deposit', 'depositing', 'done'].includes(step) || deposited === 'reverted'
  const steps: Step[] = [
    {
      id: 'allow',
      when: isAllowed ? 'past' : allowed === 'reverted' ? 'failed' : 'now',
      title: <Trans>Let the vault take exactly this amount</Trans>,
      children: kept.approveHash && <TransactionHash hash={kept.approveHash} />,
    },
    {
      id: 'deposit',
      when:
        step === 'done' ? 'past' : deposited === 'reverted' ? 'failed' : isAllowed ? 'now' : 'next',
      title: <Trans>Deposit into the vault</Trans>,
      children: kept.depositHash && <TransactionHash hash={kept.depositHash} />,
    },
  ]
  return (
    <div className="flex flex-col gap-5">
      <p>
        <Trans>
          Deposit <Money baseUnits={kept.amount} isStrong /> in two steps
        </Trans>
      </p>
      <div aria-live="polite">
        <Timeline label={t`Steps of the deposit`} steps={steps} />
      </div>
      {step === 'allow' &&
        send(
          { name: 'approve', spender: getAddress(vault.address), amount },
          t`Step 1: allow in the wallet`,
          (approveHash) => keep({ ...kept, approveHash }),
        )}
      {step === 'deposit' &&
        send({ name: 'deposit', amount }, t`Step 2: deposit in the wallet`, (depositHash) =>
          keep({ ...kept, depositHash }),
        )}
      {(step === 'allowing' || step === 'depositing') && (
        <p role="status" className="text-muted">
          <Trans>Waiting for the chain. You can leave this page.</Trans>
        </p>
      )}
      {step === 'done' && (
        <Notice
          tone="ok"
          isLive
          title={<Trans>Deposited</Trans>}
          actions={
            <Button size="small" onClick={() => keep(null)}>
              <Trans>Deposit more</Trans>
            </Button>
          }
        >
          <Trans>The balance above follows in a moment.</Trans>
        </Notice>
      )}
      {step === 'failed' && (
        <Notice tone="bad" isLive title={<Trans>The chain refused the transaction</Trans>}>
          <Trans>No money moved, except for the gas it used.</Trans>
        </Notice>
      )}
      {wayOut !== null && (
        <div className="flex flex-col items-start gap-2">
          {wayOut === 'look_first' && (
            <p className="text-muted text-sm">
              <Trans>
                If it takes long, the wallet may have replaced or dropped it. Look there first
                whether the transfer went out, and start again only if it did not.
              </Trans>
            </p>
          )}
          <Button look="quiet" size="small" onClick={() => keep(null)}>
            {wayOut === 'another_amount' ? (
              <Trans>Another amount</Trans>
            ) : (
              <Trans>Start again</Trans>
            )}
          </Button>
        </div>
      )}
    </div>
  )
}
