import { defineConfig } from '@lingui/cli'

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de', 'pseudo'],
  pseudoLocale: 'pseudo',
  fallbackLocales: { pseudo: 'en', default: 'en' },
  orderBy: 'messageId',
  catalogs: [
    {
      path: '<rootDir>/apps/consumer/src/locales/{locale}',
      include: ['<rootDir>/apps/consumer/src', '<rootDir>/packages/ui/src'],
    },
  ],
})
