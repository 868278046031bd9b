import { Appearance, LanguageChoice } from '@countersign/app-kit/settings/appearance.tsx'
import { BuildFacts } from '@countersign/app-kit/settings/build-facts.tsx'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSignOut } from '../../shell/use-sign-out.ts'
import { DisplayName } from './display-name.tsx'

export function SettingsPage() {
  return (
    <Page width="reading" title={<Trans>Your settings</Trans>}>
      <DisplayName />
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
      <Section title={<Trans>Notifications and wallets</Trans>}>
        <div className="flex flex-wrap gap-2">
          <Link to="/notifications" className={buttonStyle({})}>
            <Trans>Notifications</Trans>
          </Link>
          <Link to="/wallets" className={buttonStyle({})}>
            <Trans>Wallets</Trans>
          </Link>
        </div>
      </Section>
      <Sessions />
      <BuildFacts />
    </Page>
  )
}

function Sessions() {
  const signOut = useSignOut()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  return (
    <Section title={<Trans>Sign out</Trans>}>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void signOut({ everywhere: false })}>
          <Trans>Sign out here</Trans>
        </Button>
        <Button onClick={() => setAsking(true)}>
          <Trans>Sign out everywhere</Trans>
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          onClose={() => setAsking(false)}
          title={<Trans>Sign out everywhere?</Trans>}
          confirm={<Trans>Sign out everywhere</Trans>}
          isDangerous
          isBusy={isBusy}
          onConfirm={() => {
            setBusy(true)
            void signOut({ everywhere: true }).then(() => setBusy(false))
          }}
        >
          <p>
            <Trans>
              Every browser that is signed in to Countersign as you has to sign in again. Do this if
              a device was lost or someone else may have used one.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
