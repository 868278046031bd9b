/** Mutants that do the same as the source: no test can kill them. By id, with the reason. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  // verify-payment-facts.ts: `asked.amountBaseUnits ?? '0'` without its fallback.
  c23b9f09: 'the fallback is for the type: `shapeProblems` refuses evidence without that field',

  // guard.ts: one `app.decorateRequest` removed.
  '3e57e181': 'Fastify only prepares the property; without it, reading it gives undefined as well',

  // guard.ts: `request.earlyRows = early` removed.
  '48b087fe': 'the command reads the same rows again; only the early read is wasted',

  // journal.ts: `let pruned = 0`, and journal.store.ts: `row?.pruned ?? 0`.
  '2ccd1d2f': 'the number is only logged',
  '2e3f1ab2': 'the fallback is for the type: a call of a function in SQL returns one row',
  '8a5f546b': 'the fallback is for the type: a call of a function in SQL returns one row',
  // lane-store/attempts.store.ts: `inserted?.writtenAtMs ?? 0`, and `move.errorCode ?? null`.
  df732f90: 'the fallback is for the type: an insert of at least one attempt returns a row',
  d7baa9ad: 'an undefined value is sent as null',
  // standing-approvals.ts: `a.signedAt ?? ''`.
  e2ded54b: 'the fallback is for the type: an approval that was signed has its time',
  // audit.ts: `largestMs: 0`.
  '19add9db':
    'the first difference that is counted is above a minute, so the start does not matter',
}
