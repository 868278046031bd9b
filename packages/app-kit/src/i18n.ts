import { regionFor } from '@countersign/ui/region.ts'
import { i18n, type Messages } from '@lingui/core'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES | 'pseudo'

/** The texts of an application, loaded when their language is spoken. */
export type Catalogs = Record<Language, () => Promise<{ messages: Messages }>>

const KEPT_AS = 'countersign.language'

const isLanguage = (text: string | undefined | null): text is Language =>
  text === 'pseudo' || (text != null && Object.hasOwn(LANGUAGES, text))

export function preferredLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS)
  if (isLanguage(kept)) return kept
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
}

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
  localStorage.setItem(KEPT_AS, language)
  await speak(language)
}
