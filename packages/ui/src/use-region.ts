import { useLingui } from '@lingui/react'

/** The locale for `Intl`. It is chosen once, when the page takes up a language. */
export function useRegion(): string {
  const { i18n } = useLingui()
  return [i18n.locales ?? i18n.locale].flat()[0] ?? i18n.locale
}
