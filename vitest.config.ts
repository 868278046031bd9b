import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * These files take half a minute or more each. They start first, so that none runs alone at the end.
 * Those that drive a browser, or compute, alternate with those that mostly wait.
 */
const LONG = [
  'test/browser/story.test.ts',
  'test/processes/payments-entrusted-kill.strain.test.ts',
  'test/contracts/solidity.test.ts',
  'test/http/executor-rotation.test.ts',
  'test/browser/hostile-pages.strain.test.ts',
  'test/journeys/payment-entrusted.strain.test.ts',
  'test/browser/treasury.test.ts',
  'test/chain/reorganisations.strain.test.ts',
  'test/processes/stop.strain.test.ts',
  'test/browser/furnished.test.ts',
  'test/processes/crash-matrix.strain.test.ts',
  'test/journeys/finance-month.test.ts',
  'test/browser/admin.test.ts',
  'test/processes/export-kill.strain.test.ts',
  'test/http/approvals-withdraw.test.ts',
  'test/journeys/payment-faults.strain.test.ts',
  'test/processes/together.strain.test.ts',
  'test/journeys/payment-reorganisations.strain.test.ts',
  'test/processes/payments-kill.strain.test.ts',
  'test/chain/nodes.strain.test.ts',
  'test/processes/cli.test.ts',
  'test/browser/first-visit.test.ts',
  'test/journeys/payment-drift.strain.test.ts',
  'test/fuzz/contract-fuzz.strain.test.ts',
  'test/http/funding-entrusted.test.ts',
  'test/http/vaults.test.ts',
  'test/http/funding-hostile.strain.test.ts',
  'test/model/expenses-model.strain.test.ts',
  'test/journeys/payment-restore.strain.test.ts',
  'test/security/roles.test.ts',
  'test/browser/admin-faults.strain.test.ts',
  'test/processes/crash.strain.test.ts',
  'test/security/tenants.test.ts',
  'test/deploy/proxies.test.ts',
  'test/client/published.test.ts',
  'test/processes/refusals.test.ts',
  'test/client/guide.test.ts',
  'test/simulator/simulator.test.ts',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const find = (path: string) => files.find(({ moduleId }) => moduleId.endsWith(path))
    const first = LONG.map(find).filter((file) => file !== undefined)
    const others = await super.sort(files.filter((file) => !first.includes(file)))
    return [...first, ...others]
  }
}

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'packages/**/*.test.ts',
      'apps/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    globalSetup: [
      'test/support/postgres.ts',
      'test/support/joined-programs.ts',
      'test/support/pages.ts',
    ],
    setupFiles: ['test/support/property-inputs.ts'],
    pool: 'forks',
    // Tests often wait for processes and blocks, so there are more workers than cores.
    maxWorkers: 4,
    // Files of one worker share its modules. Loading them per file took a third of the time.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Tests wait for conditions with generous limits, so that a slow machine does not fail them.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    reporters: ['default'],
  },
})
