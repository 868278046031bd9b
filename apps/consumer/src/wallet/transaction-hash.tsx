import { Hash } from '@countersign/ui/address.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useExplorer } from '../data/explorer.ts'

export function TransactionHash({ hash }: { hash: string }) {
  const { t } = useLingui()
  const url = useExplorer().transaction(hash)
  return (
    <span className="block">
      <Hash hash={hash} label={t`Copy the transaction hash`} />
      {url && (
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className="text-accent text-sm underline-offset-4 hover:underline"
        >
          <Trans>Open in the explorer</Trans>
        </a>
      )}
    </span>
  )
}
