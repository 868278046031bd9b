/** For `npm run examples`: the story runs as a test does, alone, and writes a file. */
import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: it is how vitest reads its configuration
export default defineConfig({
  test: {
    include: ['test/reference/record.ts'],
    globalSetup: ['test/support/postgres.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
