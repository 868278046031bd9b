import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { useAccountChanged } from '../data/account.ts'
import { readOwnName } from '../data/session.ts'

/** Says that the browser is somebody else's now. The page stays as it is, for what was typed in it. */
export function AccountChanged() {
  return useAccountChanged() ? <ChangedNotice /> : null
}

function ChangedNotice() {
  const here = useRef<HTMLDivElement>(null)
  const [name, setName] = useState<string | null>(null)
  useEffect(() => {
    // In the top layer: an open dialog keeps its text, and must not cover this.
    const notice = here.current
    notice?.showPopover()
    void readOwnName().then(setName)
    // The page moves down, so that nothing that was typed is covered.
    const sizes = new ResizeObserver(() => {
      document.body.style.paddingBlockStart = `${notice?.offsetHeight ?? 0}px`
    })
    if (notice) sizes.observe(notice)
    return () => sizes.disconnect()
  }, [])
  return (
    <div
      ref={here}
      popover="manual"
      className="fixed inset-x-0 top-0 bottom-auto m-0 w-full max-w-none border-line border-b bg-raised p-3 text-text shadow-raised"
    >
      <div className="mx-auto max-w-3xl">
        <Notice
          tone="bad"
          isLive
          title={
            name ? (
              <Trans>
                You are now signed in as <bdi>{name}</bdi>. Reload to go on.
              </Trans>
            ) : (
              <Trans>You are now signed in as somebody else. Reload to go on.</Trans>
            )
          }
          actions={
            <Button size="small" look="primary" onClick={() => location.reload()}>
              <Trans>Reload</Trans>
            </Button>
          }
        >
          <Trans>
            Another tab of this browser signed in. This page was opened by another person: it sends
            nothing any more. Copy what you typed before you reload, or it is lost.
          </Trans>
        </Notice>
      </div>
    </div>
  )
}
