import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { ownDeviceId } from '../../data/push-device.ts'

type Device = DataOf<'listPushSubscriptions'>['subscriptions'][number]

/** Other browsers of the person that get messages. Any of them can be removed from here. */
export function Devices() {
  const devices = useRead('listPushSubscriptions', {})
  return (
    <ReadView of={devices} lines={1}>
      {({ subscriptions }) => {
        const others = subscriptions.filter(({ id }) => id !== ownDeviceId())
        if (others.length === 0) return null
        return (
          <Section title={<Trans>Other devices</Trans>} note={others.length}>
            <Card isFlush>
              <ul className="divide-y divide-line">
                {others.map((device) => (
                  <DeviceRow key={device.id} device={device} />
                ))}
              </ul>
            </Card>
          </Section>
        )
      }}
    </ReadView>
  )
}

function DeviceRow({ device }: { device: Device }) {
  const { t } = useLingui()
  const remove = useAction('removePushSubscription', ['listPushSubscriptions'])
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="truncate font-medium">{device.deviceLabel}</bdi>
          {!device.active && <Mark kind="ended">{t`Ended`}</Mark>}
        </p>
        <p className="truncate text-muted text-sm">
          <Trans>
            last seen <Moment at={device.renewedAt} />
          </Trans>
          {', '}
          {device.endpointHost}
        </p>
      </div>
      <Button
        size="small"
        isBusy={remove.isBusy}
        onClick={() => void remove.run({ path: { subscriptionId: device.id } })}
      >
        <Trans>Remove</Trans>
      </Button>
      {remove.failure && (
        <div className="w-full">
          <FailureNotice failure={remove.failure} />
        </div>
      )}
    </li>
  )
}
