import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  isPushSupported,
  ownSubscription,
  renewOnce,
  type Turned,
  turnOff,
  turnOn,
} from '../../data/push-device.ts'

/** Push on this device, and every reason why it may not work, each with what to do. */
export function ThisDevice() {
  const { t } = useLingui()
  const cache = useQueryClient()
  const config = useRead('getPushConfig', {})
  const [isOn, setOn] = useState<boolean | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Turned | null>(null)
  useEffect(() => {
    // The renewal may find that this device was removed.
    renewOnce()
      .catch(() => {})
      .then(ownSubscription)
      .then(
        (subscription) => setOn(subscription !== null && Notification.permission === 'granted'),
        () => setOn(false),
      )
  }, [])
  const change = async (work: () => Promise<Turned>, done: boolean) => {
    setBusy(true)
    const turned = await work()
    setResult(turned)
    if (turned.ok) {
      setOn(done)
      say(done ? t`This device gets notifications` : t`This device no longer gets notifications`)
    }
    await cache.invalidateQueries({ queryKey: ['listPushSubscriptions'] })
    setBusy(false)
  }

  if (!isPushSupported()) {
    return (
      <Notice tone="info" title={<Trans>This browser cannot show notifications</Trans>}>
        <Trans>
          On an iPhone or iPad, add this page to the home screen first and open it from there.
          Elsewhere, use a current browser, in an ordinary window.
        </Trans>
      </Notice>
    )
  }
  return (
    <ReadView of={config} lines={1}>
      {({ active, publicKey }) => {
        if (!active) {
          return (
            <Notice tone="info" title={<Trans>This deployment sends no push messages</Trans>}>
              <Trans>Whoever runs the service has not set up its keys.</Trans>
            </Notice>
          )
        }
        const isDenied =
          Notification.permission === 'denied' ||
          (result && !result.ok && result.problem === 'denied')
        if (isDenied) {
          return (
            <Notice
              tone="warn"
              isLive
              title={<Trans>Notifications are blocked in this browser</Trans>}
            >
              <Trans>
                Open the site settings beside the address, allow notifications, and reload this
                page.
              </Trans>
            </Notice>
          )
        }
        return (
          <Card>
            <div className="flex flex-wrap items-center justify-between gap-4">
              <div className="min-w-0 flex-1 basis-60">
                <p className="flex items-center gap-2 font-medium">
                  <Trans>This device</Trans>
                  {isOn !== null && (
                    <Mark kind={isOn ? 'done' : 'draft'}>{isOn ? t`On` : t`Off`}</Mark>
                  )}
                </p>
                <p className="text-muted text-sm">
                  <Trans>
                    A message says what kind of thing happened, without names and amounts.
                  </Trans>
                </p>
              </div>
              {isOn ? (
                <Button
                  isBusy={isBusy}
                  onClick={() =>
                    void change(async () => {
                      await turnOff()
                      return { ok: true }
                    }, false)
                  }
                >
                  <Trans>Turn off</Trans>
                </Button>
              ) : (
                <Button
                  look="primary"
                  isBusy={isBusy || isOn === null}
                  onClick={() => void change(() => turnOn(publicKey), true)}
                >
                  <Trans>Turn on</Trans>
                </Button>
              )}
            </div>
            {result && !result.ok && (
              <div className="mt-4">
                {result.problem === 'service' ? (
                  <FailureNotice failure={result.failure} />
                ) : result.problem === 'dismissed' ? (
                  <Notice tone="info" isLive>
                    <Trans>You did not answer the browser's question, so nothing changed.</Trans>
                  </Notice>
                ) : (
                  <Notice tone="warn" isLive>
                    <Trans>
                      The browser's push service could not be reached. Check the connection; some
                      browsers and company networks block it.
                    </Trans>
                  </Notice>
                )}
              </div>
            )}
          </Card>
        )
      }}
    </ReadView>
  )
}
