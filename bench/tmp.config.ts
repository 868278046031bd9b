/** For measurements that need a whole treasury: they run as tests do, alone, and print figures. */
import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: it is how vitest reads its configuration
export default defineConfig({
  test: {
    include: ['bench/tmp.ts'],
    globalSetup: ['test/support/postgres.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
