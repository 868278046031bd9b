/** Measurements that need a whole treasury or a browser run as tests do, alone. */
import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: it is how vitest reads its configuration
export default defineConfig({
  test: {
    include: ['bench/payments.ts', 'bench/pages.ts'],
    globalSetup: [
      'test/support/postgres.ts',
      'test/support/joined-programs.ts',
      'test/support/pages.ts',
    ],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
