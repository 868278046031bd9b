/** Limits of funding signers and the interval of their negative test. Used by `config.ts`. */
import { type Environment, integer, problem } from './values.ts'

export type FundingConfig = {
  /** Maximum of one deposit and of the token approval. Base units. */
  maxAmount: bigint
  lifetimeSeconds: number
  probeEverySeconds: number
}

const DAY_SECONDS = 24 * 60 * 60
const MAX_DEFAULT = '1000000000'
/** The vault stores amounts in 128 bits. */
const MAX_LIMIT = 2n ** 128n - 1n

export function readFunding(env: Environment): FundingConfig {
  return {
    maxAmount: readMaxAmount(env.FUNDING_MAX_BASE_UNITS || MAX_DEFAULT),
    lifetimeSeconds: integer(env, 'FUNDING_LIFETIME_SECONDS', {
      fallback: 30 * DAY_SECONDS,
      min: 60,
      max: 365 * DAY_SECONDS,
    }),
    probeEverySeconds: integer(env, 'FUNDING_PROBE_SECONDS', {
      fallback: DAY_SECONDS,
      min: 1,
      max: 30 * DAY_SECONDS,
    }),
  }
}

function readMaxAmount(value: string): bigint {
  const amount = /^[1-9][0-9]{0,38}$/.test(value) ? BigInt(value) : 0n
  if (amount > 0n && amount <= MAX_LIMIT) return amount
  throw problem(
    `FUNDING_MAX_BASE_UNITS must be a whole number from 1 to ${MAX_LIMIT}, ` +
      `not ${JSON.stringify(value)}.`,
  )
}
