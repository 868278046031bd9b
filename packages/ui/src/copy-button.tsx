import { useLingui } from '@lingui/react/macro'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { say } from './say.ts'

const SHOWN_MS = 1_500

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useLingui()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    try {
      // Without https there is no clipboard.
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      say(t`Your browser did not allow copying. Select the text instead.`)
    }
  }
  return (
    <button
      type="button"
      className="press rounded-sm p-1.5 text-muted hover:bg-hover hover:text-text"
      aria-label={isCopied ? t`Copied` : label}
      onClick={() => void copy()}
    >
      {isCopied ? (
        <Check className="size-4 text-ok" aria-hidden="true" />
      ) : (
        <Copy className="size-4" aria-hidden="true" />
      )}
    </button>
  )
}
