import { defineConfig } from '@lingui/cli'

const shared = ['<rootDir>/packages/ui/src', '<rootDir>/packages/app-kit/src']

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de', 'pseudo'],
  pseudoLocale: 'pseudo',
  fallbackLocales: { pseudo: 'en', default: 'en' },
  orderBy: 'messageId',
  catalogs: ['consumer', 'admin'].map((name) => ({
    path: `<rootDir>/apps/${name}/src/locales/{locale}`,
    include: [`<rootDir>/apps/${name}/src`, ...shared],
  })),
})
