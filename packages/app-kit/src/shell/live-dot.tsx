import { Button } from '@countersign/ui/button.tsx'
import { classes } from '@countersign/ui/classes.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useLive } from '../data/live.tsx'

/** Whether the page is current. Words beside the colour. */
export function LiveDot() {
  const { t } = useLingui()
  const { state, reconnect } = useLive()
  if (state.phase === 'ended') {
    return (
      <span className="flex items-center gap-2 text-sm" role="status">
        <span className="text-warn">
          {state.reason === 'replaced' ? (
            <Trans>Open in too many windows</Trans>
          ) : (
            <Trans>Not updating</Trans>
          )}
        </span>
        <Button size="small" onClick={reconnect}>
          <Trans>Reconnect here</Trans>
        </Button>
      </span>
    )
  }
  const words = { connecting: t`connecting`, live: t`live`, polling: t`delayed` }
  return (
    <span className="flex items-center gap-2 px-2 text-muted text-sm" role="status">
      <span
        aria-hidden="true"
        className={classes('size-2 rounded-full', state.phase === 'live' ? 'bg-ok' : 'bg-control')}
      />
      <span className="max-sm:sr-only">{words[state.phase]}</span>
    </span>
  )
}
