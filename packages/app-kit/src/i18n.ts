import { regionFor } from '@countersign/ui/region.ts'
import { i18n } from '@lingui/core'
import { type Catalogs, keepLanguage, type Language, preferredLanguage } from './early/language.ts'

let texts: Catalogs | undefined

async function speak(language: Language): Promise<void> {
  if (!texts) throw new Error('No catalog was given.')
  const { messages } = await texts[language]()
  // The pseudo-language has the numbers and dates of English.
  const written = language === 'pseudo' ? 'en' : language
  i18n.load(language, messages)
  i18n.activate(language, regionFor(written, navigator.languages))
  document.documentElement.lang = written
}

/** Once, before the first screen. */
export async function startSpeaking(catalogs: Catalogs): Promise<void> {
  texts = catalogs
  await speak(preferredLanguage())
}

export async function chooseLanguage(language: Language): Promise<void> {
  keepLanguage(language)
  await speak(language)
}
