import type { Messages } from '@lingui/core'

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

export const keepLanguage = (language: Language): void => localStorage.setItem(KEPT_AS, language)
