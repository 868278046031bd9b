import { transactionUrl } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'

export function TransactionLink({ hash }: { hash: string }) {
  const { config } = useOrganization()
  const url = transactionUrl(config, hash)
  const text = <span className="break-all font-mono text-xs">{hash}</span>
  return url ? (
    <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
      {text}
    </a>
  ) : (
    text
  )
}
