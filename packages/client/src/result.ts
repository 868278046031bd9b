/** What every call returns, and how to turn it into an exception where that is handier. */
import type { Failure } from './errors.ts'

export type Result<Data> =
  | {
      ok: true
      data: Data
      status: number
      headers: Headers
      /** How often the request was sent. */
      attempts: number
    }
  | { ok: false; failure: Failure; attempts: number }

/** Thrown by `unwrap` and `items` only. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`${failure.code}: ${failure.message}`)
    this.failure = failure
  }
}

/** The data, or an exception, for scripts that stop at the first failure. */
export function unwrap<Data>(result: Result<Data>): Data {
  if (result.ok) return result.data
  throw new RequestFailed(result.failure)
}
