/** How numbers and dates are written: a language does not decide it alone. */

/** Where a browser names no region of the language. */
const DEFAULTS: Readonly<Record<string, string>> = { en: 'en-GB', de: 'de-DE' }

const languageOf = (tag: string): string => tag.split('-')[0]?.toLowerCase() ?? ''

/** The first region that the person's browser names for this language, such as de-AT. */
export function regionFor(language: string, preferred: readonly string[]): string {
  const named = preferred.find((tag) => languageOf(tag) === language && tag.includes('-'))
  const region = named ?? DEFAULTS[language] ?? language
  // Formats of numbers and dates know the same regions, but Chromium takes 40 ms to list them.
  return Intl.PluralRules.supportedLocalesOf(region)[0] ?? language
}
