import { defineConfig } from 'vitest/config'
export default defineConfig({ test: { include: ['test/fuzz/**/*.test.ts'], globalSetup: ['test/support/postgres.ts'], pool: 'forks', execArgv: ['--cpu-prof', '--cpu-prof-dir=/tmp/prof'] } })
