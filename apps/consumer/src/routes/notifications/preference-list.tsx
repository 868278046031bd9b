import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { CATEGORIES, isCategory } from '../../words/notifications.ts'
import {
  type Channel,
  channelState,
  type Group,
  grouped,
  type Preference,
  type Preferences,
} from './preference-groups.ts'

/** What someone is told, and how. It applies in all organizations. */
export function PreferenceList() {
  const { t } = useLingui()
  const read = useRead('getNotificationPreferences', {})
  const set = useAction('setNotificationPreferences', ['getNotificationPreferences'])
  const titles: Record<Group, string> = {
    work: t`Your work`,
    trouble: t`When something goes wrong`,
    security: t`Security`,
  }
  const change = (preference: Preference, channel: Channel, isOn: boolean) =>
    void set.run({ body: { preferences: [{ category: preference.category, [channel]: isOn }] } })
  return (
    <ReadView of={read} lines={6}>
      {(data) => (
        <>
          {data.channels.email && data.emailAddress === null && (
            <div className="mb-3">
              <Notice tone="info">
                <Trans>
                  Your identity provider has verified no e-mail address, so nothing is sent by
                  e-mail.
                </Trans>
              </Notice>
            </div>
          )}
          {set.failure && <FailureNotice failure={set.failure} />}
          {Object.entries(grouped(data.preferences)).map(([group, preferences]) => (
            <Section key={group} title={titles[group as Group]}>
              <Card isFlush>
                <ul className="divide-y divide-line">
                  {preferences.map((preference) => (
                    <PreferenceRow
                      key={preference.category}
                      preference={preference}
                      data={data}
                      isBusy={set.isBusy}
                      onChange={(channel, isOn) => change(preference, channel, isOn)}
                    />
                  ))}
                </ul>
              </Card>
              {group === 'security' && (
                <p className="mt-2 text-muted text-sm">
                  <Trans>
                    These stay on where a channel exists: they may be the first sign of a theft.
                  </Trans>
                </p>
              )}
            </Section>
          ))}
          <p className="mt-3 text-muted text-sm">
            {data.channels.email ? (
              data.emailAddress && (
                <Trans>
                  E-mail goes to <bdi>{data.emailAddress}</bdi>, which your identity provider has
                  verified.
                </Trans>
              )
            ) : (
              <Trans>This deployment sends no e-mail.</Trans>
            )}
          </p>
        </>
      )}
    </ReadView>
  )
}

type RowProps = {
  preference: Preference
  data: Preferences
  isBusy: boolean
  onChange(channel: Channel, isOn: boolean): void
}

function PreferenceRow({ preference, data, isBusy, onChange }: RowProps) {
  const { t, i18n } = useLingui()
  const id = useId()
  const { category } = preference
  const names: Record<Channel, string> = { push: t`Push`, email: t`E-mail` }
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-2.5 sm:px-5">
      <span id={id} className="min-w-0 flex-1 basis-56">
        {isCategory(category) ? i18n._(CATEGORIES[category].name) : category}
      </span>
      <span className="flex gap-6">
        {(['push', 'email'] as const).map((channel) => {
          const state = channelState(data, preference, channel)
          return (
            <label
              key={channel}
              className={`flex min-h-11 items-center gap-2 text-sm ${state === 'usable' ? '' : 'text-muted'}`}
            >
              <input
                type="checkbox"
                className="size-5"
                aria-describedby={id}
                checked={preference[channel] && state !== 'off_here' && state !== 'no_address'}
                disabled={state !== 'usable'}
                // Turned off natively, the one that was just used would lose the focus.
                aria-disabled={isBusy || undefined}
                onChange={(event) => !isBusy && onChange(channel, event.target.checked)}
              />
              {names[channel]}
            </label>
          )
        })}
      </span>
    </li>
  )
}
