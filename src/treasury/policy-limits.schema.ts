/** The limits of a policy that may be off, in requests, answers and `changes`. */
import { Type } from '#platform/schema.ts'
import { added, BaseUnits, described, extension, nullable } from '#platform/values.ts'
import {
  PERIOD_SECONDS_MAX,
  PERIOD_SECONDS_MIN,
  TIER_APPROVALS_MAX,
  TIER_APPROVALS_MIN,
  TIERS_MAX,
} from './policy-limits.ts'

const PeriodSeconds = Type.Integer({ minimum: PERIOD_SECONDS_MIN, maximum: PERIOD_SECONDS_MAX })

const TierSchema = Type.Object(
  {
    above: described(BaseUnits, 'Payments of more than this belong to the tier'),
    approvals: Type.Integer({
      minimum: TIER_APPROVALS_MIN,
      maximum: TIER_APPROVALS_MAX,
      description: 'How many different approvers must sign such a payment',
    }),
  },
  { title: 'ApprovalTier', additionalProperties: false },
)

const Tiers = Type.Array(TierSchema, { maxItems: TIERS_MAX })

/** Of a policy, in force or prepared. */
export const limits = {
  periodSeconds: nullable(
    added(PeriodSeconds, 'The length of a spending period. Null without one'),
  ),
  periodCap: nullable(
    added(BaseUnits, 'The most that the vault may pay in one period. Null without a period'),
  ),
  automaticPeriodCap: nullable(
    added(
      BaseUnits,
      'The most that the vault may pay automatically in one period. Null without a period',
    ),
  ),
  tiers: added(
    Tiers,
    'Amounts above which several approvers must sign, ascending. Empty if one is always enough',
  ),
}

const KEEPS = 'Omitted keeps what is in force; null turns it off'

/** Optional, so that a client that does not know them never drops a protection. */
export const chosenLimits = {
  periodSeconds: Type.Optional(
    nullable(added(PeriodSeconds, `The length of a spending period, with its two caps. ${KEEPS}`)),
  ),
  periodCap: Type.Optional(
    nullable(added(BaseUnits, `The most that the vault may pay in one period. ${KEEPS}`)),
  ),
  automaticPeriodCap: Type.Optional(
    nullable(
      added(
        BaseUnits,
        'The most that the vault may pay automatically in one period. At most `periodCap`. ' +
          KEEPS,
      ),
    ),
  ),
  tiers: Type.Optional(
    nullable(
      added(
        Tiers,
        'Amounts above which several approvers must sign, ascending in both fields. The first ' +
          `is at least \`automaticCap\`. ${KEEPS}`,
      ),
    ),
  ),
}

const limitChange = <T extends Parameters<typeof nullable>[0]>(
  title: string,
  value: T,
  what: string,
) =>
  nullable(
    Type.Object(
      {
        from: nullable(described(value, 'In the policy in force. Null if there is none')),
        to: nullable(described(value, 'In the prepared policy. Null if it has none')),
      },
      { title, description: `${what}. Null if unchanged`, ...extension },
    ),
  )

export const limitChanges = {
  periodSeconds: limitChange(
    'PeriodSecondsChange',
    PeriodSeconds,
    'The length of a spending period',
  ),
  periodCap: limitChange('PeriodCapChange', BaseUnits, 'The most that leaves in one period'),
  automaticPeriodCap: limitChange(
    'AutomaticPeriodCapChange',
    BaseUnits,
    'The most that leaves automatically in one period',
  ),
  tiers: limitChange('TiersChange', Tiers, 'Amounts above which several approvers must sign'),
}
