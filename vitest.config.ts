import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts'],
    pool: 'forks',
    // Much of a test is waiting for processes and blocks, so there are more workers than cores.
    maxWorkers: 4,
    // Files of one worker share its modules: loading them anew cost a third of the time.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A busy machine is slow, not wrong: conditions are waited for, never the clock.
    expect: { poll: { timeout: 20_000, interval: 25 } },
    reporters: ['default'],
  },
})
