/** Mutants that no test can kill, because they do the same as the source; by id, with the reason. */
export const EQUIVALENT: Readonly<Record<string, string>> = {}
