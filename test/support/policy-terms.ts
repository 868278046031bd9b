/** Terms of a policy that switch nothing on, for tests that are about something else. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'

export const withoutPeriod: Pick<
  ChainPolicy,
  'periodSeconds' | 'periodCap' | 'automaticPeriodCap' | 'tiers'
> = { periodSeconds: 0, periodCap: 0n, automaticPeriodCap: 0n, tiers: [] }
