/**
 * `npm run prove` sets the seed of property tests, so that it can record it, and for some proofs
 * how many inputs each property gets. Without these, fast-check chooses a seed and 100 inputs.
 */
const { PROVE_PROPERTY_SEED: seed, PROVE_PROPERTY_RUNS: runs } = process.env

if (seed !== undefined) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({
    seed: Number(seed),
    ...(runs !== undefined && { numRuns: Number(runs) }),
  })
}
