import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { useNow } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { type Step, Timeline } from '@countersign/ui/timeline.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Timer } from 'lucide-react'
import type { ExportRealm } from './export-calls.ts'
import { ExportFailure } from './export-failure.tsx'
import { countdown } from './export-limits.ts'
import { ExportedKey } from './exported-key.tsx'
import { type Phase, useCeremony } from './use-ceremony.ts'

const ORDER: readonly Phase[] = ['ready', 'requested', 'proved', 'opened', 'forgotten']

type Props = { wallet: ItemOf<'listWallets' | 'listAdminWallets'>; realm: ExportRealm }

/** From the request to the key that is shown once. */
export function ExportCeremony({ wallet, realm }: Props) {
  const { t } = useLingui()
  const ceremony = useCeremony(wallet.id, realm)
  const { phase, expiresAt, requestId, isBusy } = ceremony
  const now = useNow(1_000)
  const isOver = expiresAt !== null && new Date(expiresAt) <= now
  const at = ORDER.indexOf(phase)
  const when = (step: number): Step['when'] => (at > step ? 'past' : at === step ? 'now' : 'next')
  const steps: Step[] = [
    {
      id: 'key',
      when: at > 0 ? 'past' : 'now',
      title: t`A one-time key is made in this browser. It does not leave it.`,
    },
    {
      id: 'asked',
      when: at > 0 ? 'past' : 'next',
      title: t`The service is asked.`,
      children: requestId && <span className="break-all font-mono">{requestId}</span>,
    },
    { id: 'proof', when: when(1), title: t`You prove that it is you, with two factors.` },
    { id: 'handed', when: when(2), title: t`The key is handed over once, sealed to this browser.` },
    { id: 'written', when: when(3), title: t`You write it down.` },
  ]
  const begin = (
    <Button look="primary" isBusy={isBusy} onClick={() => void ceremony.begin()}>
      {phase === 'ready' && !isOver ? <Trans>Start</Trans> : <Trans>Start again</Trans>}
    </Button>
  )
  return (
    <div className="flex flex-col gap-5">
      <Card>
        <div className="flex flex-col gap-3">
          <p className="font-medium">
            <bdi>{wallet.purpose}</bdi>
          </p>
          {wallet.nativeAddress ? (
            <p className="break-all font-mono text-sm">{wallet.nativeAddress}</p>
          ) : (
            <Address address={wallet.address} />
          )}
        </div>
      </Card>
      <Notice tone="warn" title={<Trans>Whoever has the key has the wallet</Trans>}>
        {realm === 'admin' ? (
          <Trans>
            Three failed attempts lock the export for a day. Do this only on a device that you
            trust.
          </Trans>
        ) : (
          <Trans>
            The owners of the organization that the wallet is for are told. Three failed attempts
            lock the export for a day. Do this only on a device that you trust.
          </Trans>
        )}
      </Notice>
      <Card>
        {expiresAt && !isOver && (
          <p role="timer" className="figures mb-4 flex items-center gap-2 text-muted">
            <Timer className="size-4" aria-hidden="true" />
            <Trans>{countdown(expiresAt, now)} left</Trans>
          </p>
        )}
        <Timeline steps={steps} label={t`Steps of the export`} />
      </Card>
      <ExportFailure failure={ceremony.failure} problem={ceremony.problem} />
      {isOver ? (
        <Notice
          tone="warn"
          isLive
          title={<Trans>The five minutes have passed</Trans>}
          actions={begin}
        >
          <Trans>Nothing was handed over.</Trans>
        </Notice>
      ) : (
        <>
          {phase === 'ready' && <div>{begin}</div>}
          {phase === 'requested' && (
            <div className="flex flex-wrap gap-2">
              <Button look="primary" onClick={() => void ceremony.prove()}>
                <Trans>Continue at your identity provider</Trans>
              </Button>
              <Button onClick={() => void ceremony.cancel()}>
                <Trans>Cancel the export</Trans>
              </Button>
            </div>
          )}
          {phase === 'proved' && (
            <div className="flex flex-wrap gap-2">
              <Button look="primary" isBusy={isBusy} onClick={() => void ceremony.complete()}>
                <Trans>Hand over the key</Trans>
              </Button>
              <Button look="quiet" onClick={() => void ceremony.prove()}>
                <Trans>Prove it again</Trans>
              </Button>
              <Button look="quiet" onClick={() => void ceremony.cancel()}>
                <Trans>Cancel the export</Trans>
              </Button>
            </div>
          )}
        </>
      )}
      {phase === 'opened' && (
        <ExportedKey
          ceremony={ceremony}
          wallet={{
            chainType: wallet.chainType === 'solana' ? 'solana' : 'ethereum',
            address: wallet.nativeAddress ?? wallet.address,
          }}
        />
      )}
      {phase === 'forgotten' && (
        <Notice
          tone="info"
          isLive
          title={<Trans>The key is no longer in this page</Trans>}
          actions={begin}
        >
          <Trans>If you have not written it down, export it again.</Trans>
        </Notice>
      )}
    </div>
  )
}
