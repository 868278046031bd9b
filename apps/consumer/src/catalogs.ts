import type { Catalogs } from '@countersign/app-kit/early/language.ts'

export const catalogs: Catalogs = {
  en: () => import('./locales/en.po'),
  de: () => import('./locales/de.po'),
  pseudo: () => import('./locales/pseudo.po'),
}
