import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { useFocusHere } from './use-focus-here.ts'

export function ExpiredView({ onReadAgain }: { onReadAgain(): void }) {
  const here = useFocusHere()
  return (
    <div ref={here} tabIndex={-1} className="outline-none">
      <Notice
        tone="warn"
        isLive
        title={<Trans>The approval has expired</Trans>}
        actions={
          <Button look="primary" onClick={onReadAgain}>
            <Trans>Prepare it again</Trans>
          </Button>
        }
      >
        <Trans>
          It was valid until its deadline. Nothing was paid; the vault refuses a later signature.
        </Trans>
      </Notice>
    </div>
  )
}
