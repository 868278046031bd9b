import { ChoiceGroup, Radio, SelectField } from '@countersign/ui/field.tsx'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useDeployment } from '../data/deployment.ts'
import { LANGUAGES, type Language, preferredLanguage } from '../early/language.ts'
import { chooseLanguage } from '../i18n.ts'
import { chooseScheme, keptScheme, type Scheme } from '../theme.ts'

export function Appearance() {
  const { t } = useLingui()
  const [scheme, setScheme] = useState<Scheme>(keptScheme)
  const names: Record<Scheme, string> = {
    system: t`Same as system`,
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

export function LanguageChoice() {
  const { t } = useLingui()
  const { isDevelopment } = useDeployment()
  const [language, setLanguage] = useState<Language>(preferredLanguage)
  const options = [
    ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label, isName: true })),
    ...(isDevelopment || language === 'pseudo'
      ? [{ value: 'pseudo', label: 'Pseudo', isName: true }]
      : []),
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
