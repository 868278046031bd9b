import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, Copy, Eye } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CLEARED_AFTER_MS, copyForAWhile } from './clipboard.ts'
import { checkKey, type KeyCheck } from './exported-key-check.ts'
import type { UsedCeremony } from './use-ceremony.ts'

type Props = { ceremony: UsedCeremony; wallet: Parameters<typeof checkKey>[1] }

/** The key is in the document only while the button is held. */
export function ExportedKey({ ceremony, wallet }: Props) {
  const { t } = useLingui()
  const [isHeld, setHeld] = useState(false)
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no')
  const [check, setCheck] = useState<KeyCheck | null>(null)
  const { secret, forget } = ceremony

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the key that was opened
  useEffect(() => {
    const key = secret()
    if (key !== null) void checkKey(key, wallet).then(setCheck)
  }, [])

  useEffect(() => {
    const hide = () => setHeld(false)
    const forgetIfHidden = () => document.visibilityState === 'hidden' && forget()
    addEventListener('blur', hide)
    addEventListener('pagehide', forget)
    document.addEventListener('visibilitychange', forgetIfHidden)
    return () => {
      removeEventListener('blur', hide)
      removeEventListener('pagehide', forget)
      document.removeEventListener('visibilitychange', forgetIfHidden)
    }
  }, [forget])

  const hold = {
    onPointerDown: () => setHeld(true),
    onPointerUp: () => setHeld(false),
    onPointerLeave: () => setHeld(false),
    onPointerCancel: () => setHeld(false),
    onKeyDown: (event: { key: string }) => [' ', 'Enter'].includes(event.key) && setHeld(true),
    onKeyUp: () => setHeld(false),
    onBlur: () => setHeld(false),
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
  }
  return (
    <div className="flex flex-col gap-4">
      {check === 'own' && (
        <Notice tone="ok">
          <Trans>Checked in this page: this key belongs to the address of the wallet.</Trans>
        </Notice>
      )}
      {check === 'not_own' && (
        <Notice tone="bad" isLive title={<Trans>This key does not belong to the wallet</Trans>}>
          <Trans>Do not use it. Contact support.</Trans>
        </Notice>
      )}
      {check === 'unchecked' && (
        <Notice tone="warn" isLive title={<Trans>This key was not checked</Trans>}>
          <Trans>
            This browser cannot compute whether it belongs to the wallet. Before you rely on it,
            open it in a wallet program and compare the address.
          </Trans>
        </Notice>
      )}
      <p className="min-h-20 select-none break-all rounded-md bg-sunken px-3 py-3 font-mono text-sm">
        {isHeld ? secret() : <span aria-hidden="true">{'•'.repeat(64)}</span>}
        {!isHeld && <span className="sr-only">{t`The key is hidden.`}</span>}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button {...hold}>
          <Eye className="size-4" aria-hidden="true" />
          <Trans>Hold to show</Trans>
        </Button>
        <Button
          onClick={async () => setCopied((await copyForAWhile(secret() ?? '')) ? 'yes' : 'failed')}
        >
          {copied === 'yes' ? (
            <Check className="size-4" aria-hidden="true" />
          ) : (
            <Copy className="size-4" aria-hidden="true" />
          )}
          <Trans>Copy</Trans>
        </Button>
        <Button look="primary" onClick={forget}>
          <Trans>Done, forget it</Trans>
        </Button>
      </div>
      <p role="status" className="text-muted text-sm">
        {copied === 'yes' ? (
          <Trans>
            Copied. The clipboard is cleared after {CLEARED_AFTER_MS / 1000} seconds, if this page
            is in front by then.
          </Trans>
        ) : copied === 'failed' ? (
          <Trans>The browser did not allow copying. Hold the button and write the key down.</Trans>
        ) : (
          <Trans>
            The page forgets the key when you hide it, leave it or close it. It is not shown again.
          </Trans>
        )}
      </p>
    </div>
  )
}
