import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A busy machine is slow, not wrong: conditions are waited for, never the clock.
    expect: { poll: { timeout: 20_000, interval: 25 } },
    reporters: ['default'],
  },
})
