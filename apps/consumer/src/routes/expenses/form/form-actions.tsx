import { Button } from '@countersign/ui/button.tsx'
import type { ReactNode } from 'react'

export type Wanted = 'draft' | 'send'

type Props = {
  /** Which of the two is under way. */
  busy: Wanted | null
  /** Nothing is sent while files are on their way. */
  isUploading: boolean
  onDraft(): void
  draft: ReactNode
  send: ReactNode
  /** Takes back what was typed. */
  startOver?: { text: ReactNode; run(): void } | undefined
}

/** The end of a form of an expense: keep it, or send it for review, which the form does itself. */
export function FormActions({ busy, isUploading, onDraft, draft, send, startOver }: Props) {
  const isDisabled = busy !== null || isUploading
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {startOver && (
        <span className="me-auto max-sm:order-last">
          <Button look="quiet" isDisabled={busy !== null} onClick={startOver.run}>
            {startOver.text}
          </Button>
        </span>
      )}
      <Button isBusy={busy === 'draft'} isDisabled={isDisabled} onClick={onDraft}>
        {draft}
      </Button>
      <Button type="submit" look="primary" isBusy={busy === 'send'} isDisabled={isDisabled}>
        {send}
      </Button>
    </div>
  )
}
