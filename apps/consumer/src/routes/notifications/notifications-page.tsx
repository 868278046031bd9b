import { Page, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Devices } from './devices.tsx'
import { PreferenceList } from './preference-list.tsx'
import { ThisDevice } from './this-device.tsx'

export function NotificationsPage() {
  return (
    <Page
      width="reading"
      title={<Trans>Notifications</Trans>}
      lead={<Trans>Get notified when something needs you, even when this page is closed.</Trans>}
    >
      <Section title={<Trans>Push messages</Trans>}>
        <ThisDevice />
      </Section>
      <Devices />
      <PreferenceList />
    </Page>
  )
}
