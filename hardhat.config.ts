import { createRequire } from 'node:module'
import { defineConfig } from 'hardhat/config'

const require = createRequire(import.meta.url)
const build = process.env.COUNTERSIGN_BUILD ?? 'contracts/build'

/** Amount of fuzzing in `npm test`, in a proof, and per mutant. */
const SIZES = {
  test: { fuzz: 32, runs: 32, depth: 64, shrink: 500 },
  proof: { fuzz: 10_000, runs: 2_000, depth: 256, shrink: 500 },
  mutant: { fuzz: 8, runs: 64, depth: 64, shrink: 0 },
}
const isMutant = process.env.COUNTERSIGN_MUTANT === '1'
const isProof = process.env.COUNTERSIGN_PROVE === '1'
const size = SIZES[isMutant ? 'mutant' : isProof ? 'proof' : 'test']

/** Uses the solc package, so nothing is downloaded. The bytecode contains no metadata. */
const solc = (settings: object) => ({
  version: '0.8.37',
  path: require.resolve('solc/soljson.js'),
  settings: {
    evmVersion: 'cancun',
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    ...settings,
  },
})

// A mutant runs for seconds only, so it is not optimised.
const release = solc({ viaIR: true, optimizer: { enabled: !isMutant, runs: 10_000 } })

export default defineConfig({
  paths: {
    sources: './contracts/src',
    tests: { solidity: './contracts/test' },
    artifacts: `${build}/artifacts`,
    cache: `${build}/cache`,
  },
  solidity: {
    // Tests deploy contracts from their artifacts, so the tests themselves need no optimiser.
    compilers: [solc({ optimizer: { enabled: false } })],
    overrides: {
      'contracts/src/CountersignVault.sol': release,
      'contracts/test/mocks/TestUSDC.sol': release,
    },
  },
  test: {
    solidity: {
      fuzz: { runs: size.fuzz, seed: process.env.COUNTERSIGN_SEED ?? '0x1' },
      invariant: {
        runs: size.runs,
        depth: size.depth,
        shrinkRunLimit: size.shrink,
        failOnRevert: true,
      },
      fsPermissions: {
        writeFile: [`${build}/invariants.json`, `${build}/invariants-delayed.json`],
      },
    },
  },
})
