import type { Catalogs } from '@countersign/app-kit/i18n.ts'

export const catalogs: Catalogs = {
  en: () => import('./locales/en.po'),
  de: () => import('./locales/de.po'),
  pseudo: () => import('./locales/pseudo.po'),
}
