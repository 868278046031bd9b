/** Runs whose figures serve several proofs. */
import { program, type Run, tests } from './kinds.ts'
import { FUZZ_SEED, readGas, readMutation, readSolidity } from './readers.ts'
import type { Sources } from './sources.ts'

const SOLIDITY: Sources = {
  folders: ['contracts/'],
  files: ['hardhat.config.ts', 'prove/readers.ts', 'prove/sources.ts'],
}
const SIMULATOR: Sources = {
  folders: [
    ...['src/payments/', 'src/ports/', 'src/platform/', 'packages/proof/src/'],
    ...['test/simulator/', 'test/fuzz/'],
  ],
  files: [],
}
const ARTIFACTS: Sources = {
  folders: [...SOLIDITY.folders, 'packages/proof/src/'],
  files: [...SOLIDITY.files, 'src/dev/test-usdc-artifact.ts'],
}
const KILLS = { PROVE_EVERY_MS: '5000', PROVE_PAUSE_MS: '1000' }

export const sharedRuns: Record<string, Run> = {
  contracts: program(
    'Invariants and fuzz tests of the vault contract, more than a million calls',
    'node_modules/hardhat/dist/src/cli.js',
    {
      args: ['test', 'solidity'],
      env: { COUNTERSIGN_PROVE: '1', COUNTERSIGN_SEED: FUZZ_SEED },
      sources: SOLIDITY,
      read: readSolidity,
    },
  ),
  mutants: program('Mutation testing of the vault contract', 'mutation/vault/run.ts', {
    env: { COUNTERSIGN_SEED: FUZZ_SEED },
    sources: {
      folders: [...SOLIDITY.folders, 'mutation/vault/'],
      files: [
        ...SOLIDITY.files,
        'mutation/mutant.ts',
        'mutation/document.ts',
        'mutation/results.ts',
      ],
    },
    read: readMutation,
  }),
  gas: program(
    'Gas and code size, compared with the vault before and at the limits',
    'contracts/gas.ts',
    {
      sources: ARTIFACTS,
      read: readGas,
    },
  ),
  simulator: program(
    'The payment engine in 20,000 seeded simulations, without the contract’s replay guard',
    'test/simulator/prove.ts',
    { args: ['--seeds', '20000', '--out', 'FIGURES'], sources: SIMULATOR },
  ),
  expenses: tests(
    'A thousand random sequences of operations compared with a reference model',
    ['test/model/expenses-model.strain.test.ts'],
    { env: { PROVE_SEQUENCES: '1000' } },
  ),
  live: tests(
    '100,000 live events with late commits and reconnecting readers',
    ['test/live/gap-free.strain.test.ts', 'test/live/order.test.ts'],
    { env: { PROVE_EVENTS: '100000' } },
  ),
  payments: tests(
    '500 payments while workers and PostgreSQL are killed a thousand times',
    ['test/processes/payments-kill.strain.test.ts'],
    { env: { PROVE_PAYMENTS: '500', PROVE_KILLS: '1000' } },
  ),
  together: tests(
    'Two API and two worker processes on one PostgreSQL, killed and restarted',
    ['test/processes/together.strain.test.ts'],
    { env: { PROVE_OPERATIONS: '10000', ...KILLS }, only: 'killed' },
  ),
  chaos: tests(
    'PostgreSQL stopped in immediate mode while API processes are killed',
    ['test/processes/together.strain.test.ts'],
    { env: { PROVE_OPERATIONS: '12000', ...KILLS }, only: 'PostgreSQL' },
  ),
}
