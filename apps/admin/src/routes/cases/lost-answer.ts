import type { Failure } from '@countersign/client/errors.ts'

/** The gateway also answers 503 if it lost the service's answer. */
export const mayHaveBeenSent = (failure: Failure): boolean =>
  failure.source === 'transport' ? failure.mayHaveTakenEffect : failure.status >= 500
