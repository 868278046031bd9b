import { signOut } from '@countersign/app-kit/data/session.ts'
import { Appearance, LanguageChoice } from '@countersign/app-kit/settings/appearance.tsx'
import { BuildFacts } from '@countersign/app-kit/settings/build-facts.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'

export function SettingsPage() {
  const { t } = useLingui()
  const leave = async (everywhere: boolean) => {
    if (await signOut({ everywhere })) return
    say(t`You are still signed in`, t`The service could not be reached. Try again.`)
  }
  return (
    <Page width="reading" title={<Trans>Your settings</Trans>}>
      <Section title={<Trans>Appearance</Trans>}>
        <Card>
          <Appearance />
        </Card>
      </Section>
      <Section title={<Trans>Language</Trans>}>
        <Card>
          <LanguageChoice />
        </Card>
      </Section>
      <Section title={<Trans>Sign out</Trans>}>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => void leave(false)}>
            <Trans>Sign out here</Trans>
          </Button>
          <Button onClick={() => void leave(true)}>
            <Trans>Sign out everywhere</Trans>
          </Button>
        </div>
      </Section>
      <BuildFacts />
    </Page>
  )
}
