/** For `npm run prove -- F20`: the cluster runs as a test does, alone. */
import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: it is how vitest reads its configuration
export default defineConfig({
  test: {
    include: ['test/high-availability/{failover,full-disk}.ts'],
    // One cluster at a time.
    fileParallelism: false,
    globalSetup: ['test/support/postgres.ts', 'test/support/joined-programs.ts'],
    pool: 'forks',
    testTimeout: 14_400_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    reporters: ['default'],
  },
})
