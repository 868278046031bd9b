import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { useFocusHere } from './use-focus-here.ts'

/** Never sent again by itself: the person has to find out why. */
export function WrongSignatureView({ onReadAgain }: { onReadAgain(): void }) {
  const here = useFocusHere()
  return (
    <div ref={here} tabIndex={-1} className="outline-none">
      <Notice
        tone="bad"
        isLive
        title={<Trans>Your wallet signed something else</Trans>}
        actions={
          <Button onClick={onReadAgain}>
            <Trans>Start over</Trans>
          </Button>
        }
      >
        <Trans>
          The signature is by another account, or of other data than this page computed. It was not
          sent to anyone. Check that the right account is chosen in your wallet, and that nothing
          between this page and the wallet changes requests, such as a browser extension.
        </Trans>
      </Notice>
    </div>
  )
}
