import { useAction } from '@countersign/app-kit/data/actions.ts'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { checkOwnerTransaction } from '@countersign/client/owner-transactions.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Fact, Facts } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import type { Hex } from 'viem'
import { useOrganization } from '../../data/organization.tsx'
import { SendCall } from '../../wallet/send-call.tsx'
import { useWallet } from '../../wallet/use-wallet.ts'
import { ChangeDelay } from './delay-field.tsx'
import { IntentProgress } from './intent-progress.tsx'
import type { KeptDeployment } from './kept-transactions.ts'
import { requestedDeployment } from './requested-calls.ts'
import { PolicyLink } from './treasury-link.tsx'
import { useArrival } from './use-arrival.ts'

type Props = {
  deployment: ItemOf<'listVaultDeployments'>
  /** What this browser prepared, if it did. */
  kept: KeptDeployment | null
  /** Wallets of this person that may own a vault. */
  ownWallets: readonly string[]
  onSent(hash: Hex): void
  onAgain(): void
}

export function DeploymentCard({ deployment, kept, ownWallets, onSent, onAgain }: Props) {
  const keptHash = kept?.hash ?? null
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const used = useWallet()
  const arrival = useArrival<HTMLParagraphElement>()
  const confirm = useAction('confirmVaultDeployment', [
    'listVaultDeployments',
    'listVaults',
    'getTreasuryOverview',
  ])
  const submit = (transactionHash: Hex) =>
    void confirm.run({
      path: { organizationId, intentId: deployment.id },
      body: { transactionHash },
    })
  // A hash that was sent before a reload, and that the service was not told.
  const resumed = useRef<string | null>(null)
  useEffect(() => {
    if (deployment.state !== 'prepared' || !keptHash || resumed.current === keptHash) return
    resumed.current = keptHash
    submit(keptHash)
  })
  // Chain and token are this deployment's, the owner is a wallet of this person.
  const owner = ownWallets.find(
    (own) => own.toLowerCase() === deployment.ownerAddress.toLowerCase(),
  )
  const check = checkOwnerTransaction(
    deployment,
    requestedDeployment({
      chainId: config.chain.id,
      tokenAddress: config.token.address,
      ownerAddress: owner ?? deployment.ownerAddress,
      organizationHash: deployment.organizationHash,
      changeDelaySeconds: kept?.changeDelaySeconds ?? deployment.changeDelaySeconds,
    }),
    config.token,
  )
  const { vault, label } = deployment
  return (
    <Card>
      <p ref={arrival} tabIndex={-1} className="mb-4 outline-none">
        <bdi className="font-medium">{label}</bdi>
      </p>
      <IntentProgress
        intent={deployment}
        keptHash={keptHash}
        onSubmit={submit}
        isBusy={confirm.isBusy}
        failure={confirm.failure}
        onAgain={onAgain}
        signing={
          owner ? (
            <div className="flex flex-col gap-4">
              <Facts>
                <Fact term={<Trans>Owner of the vault</Trans>}>
                  <Address address={owner} />
                </Fact>
                <Fact term={<Trans>Token</Trans>}>
                  <Address address={config.token.address} name={config.token.symbol} />
                </Fact>
                <Fact term={<Trans>Network</Trans>}>
                  <bdi>{config.chain.name}</bdi>
                </Fact>
                <Fact term={<Trans>Changes wait</Trans>}>
                  <ChangeDelay seconds={deployment.changeDelaySeconds} />
                </Fact>
                <Fact term={<Trans>Code</Trans>}>
                  {check.ok ? (
                    <Trans>the published vault, byte for byte (checked in this page)</Trans>
                  ) : (
                    <Trans>not what was asked for</Trans>
                  )}
                </Fact>
              </Facts>
              <SendCall
                check={check}
                used={used}
                anyOf={[owner]}
                label={t`Deploy in the wallet`}
                onSent={(hash) => {
                  onSent(hash)
                  resumed.current = hash
                  submit(hash)
                }}
              />
              <div>
                <Button look="quiet" size="small" onClick={onAgain}>
                  <Trans>Not now, start over</Trans>
                </Button>
              </div>
            </div>
          ) : (
            <Notice
              tone="bad"
              isLive
              title={<Trans>Do not sign: the vault would belong to someone else</Trans>}
            >
              <p>
                <Trans>This is not one of your wallets with the role of treasury owner:</Trans>
              </p>
              <Address address={deployment.ownerAddress} />
            </Notice>
          )
        }
        done={
          vault && (
            <Notice
              tone="ok"
              isLive
              title={<Trans>The vault exists and was verified</Trans>}
              actions={
                <>
                  <PolicyLink vaultId={vault.id} look={{ look: 'primary', size: 'small' }}>
                    <Trans>Set its policy</Trans>
                  </PolicyLink>
                  <Button size="small" onClick={onAgain}>
                    <Trans>Deploy another</Trans>
                  </Button>
                </>
              }
            >
              <Address address={vault.address} name={vault.label} />
            </Notice>
          )
        }
      />
    </Card>
  )
}
