import { useExplorer } from '../../data/explorer.ts'

export function TransactionLink({ hash }: { hash: string }) {
  const url = useExplorer().transaction(hash)
  const text = <span className="break-all font-mono text-xs">{hash}</span>
  return url ? (
    <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
      {text}
    </a>
  ) : (
    text
  )
}
