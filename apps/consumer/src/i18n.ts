import { regionFor } from '@countersign/ui/region.ts'
import { i18n, type Messages } from '@lingui/core'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES | 'pseudo'

const KEPT_AS = 'countersign.language'

const catalogs: Record<Language, () => Promise<{ messages: Messages }>> = {
  en: () => import('./locales/en.po'),
  de: () => import('./locales/de.po'),
  pseudo: () => import('./locales/pseudo.po'),
}

const isLanguage = (text: string | undefined | null): text is Language =>
  text != null && Object.hasOwn(catalogs, text)

export function preferredLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS)
  if (isLanguage(kept)) return kept
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
}

export async function speak(language: Language): Promise<void> {
  const { messages } = await catalogs[language]()
  // The pseudo-language has the numbers and dates of English.
  const written = language === 'pseudo' ? 'en' : language
  i18n.load(language, messages)
  i18n.activate(language, regionFor(written, navigator.languages))
  document.documentElement.lang = written
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(KEPT_AS, language)
  await speak(language)
}
