import { useDeployment } from '@countersign/app-kit/data/deployment.ts'
import {
  chooseLanguage,
  LANGUAGES,
  type Language,
  preferredLanguage,
} from '@countersign/app-kit/i18n.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { chooseScheme, keptScheme, type Scheme } from '@countersign/app-kit/theme.ts'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { ChoiceGroup, Radio, SelectField } from '@countersign/ui/field.tsx'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSignOut } from '../../shell/use-sign-out.ts'
import { BuildFacts } from './build-facts.tsx'
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

function Appearance() {
  const { t } = useLingui()
  const [scheme, setScheme] = useState<Scheme>(keptScheme)
  const names: Record<Scheme, string> = {
    system: t`As the system`,
    light: t`Light`,
    dark: t`Dark`,
  }
  return (
    <ChoiceGroup label={<span className="sr-only">{t`Appearance`}</span>}>
      <div className="flex flex-wrap gap-x-8">
        {(['system', 'light', 'dark'] as const).map((each) => (
          <Radio
            key={each}
            name="scheme"
            label={names[each]}
            checked={scheme === each}
            onChange={() => {
              setScheme(each)
              chooseScheme(each)
            }}
          />
        ))}
      </div>
    </ChoiceGroup>
  )
}

function LanguageChoice() {
  const { t } = useLingui()
  const { isDevelopment } = useDeployment()
  const [language, setLanguage] = useState<Language>(preferredLanguage)
  const options = [
    ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
    ...(isDevelopment || language === 'pseudo' ? [{ value: 'pseudo', label: 'Pseudo' }] : []),
  ]
  return (
    <SelectField
      label={t`Language of this page`}
      hint={t`It is kept in this browser.`}
      value={language}
      onChange={(event) => {
        const next = event.target.value as Language
        setLanguage(next)
        void chooseLanguage(next)
      }}
      options={options}
    />
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
              a device was lost or somebody else may have used one.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
