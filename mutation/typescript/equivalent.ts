/** Mutants that do the same as the source: no test can kill them. By id, with the reason. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  // verify-payment-facts.ts: `asked.amountBaseUnits ?? '0'` without its fallback.
  c23b9f09: 'the fallback is for the type: `shapeProblems` refuses evidence without that field',
}
