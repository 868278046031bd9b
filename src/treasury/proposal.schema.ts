/** A policy that waits before it takes effect. */
import { Type } from '#platform/schema.ts'
import { Address, described, Hash, nullable, PosInt, Timestamp } from '#platform/values.ts'
import { ChangesSchema } from './policy-changes.schema.ts'
import { caps, listed, policyExpiry, switches } from './policy-fields.schema.ts'
import { limits } from './policy-limits.schema.ts'

export const ProposalSchema = Type.Object(
  {
    id: described(Hash, 'The id of the proposal in the vault, which a veto names'),
    expectedVersion: described(PosInt, 'The version of the policy that it replaces'),
    proposedAt: described(Timestamp, 'The time of its block'),
    activatesAt: described(Timestamp, 'From then on it can be put into force, by anybody'),
    expiresAt: described(Timestamp, 'From then on it is void'),
    transactionHash: described(Hash, 'The transaction that proposed it'),
    prepared: Type.Boolean({
      description: 'Whether it was prepared here. If not, find out who signed it, or veto it',
    }),
    activationCode: nullable(
      Type.String({
        description:
          'Why the service cannot activate it, so that an owner has to: a block code, ' +
          '`gas_missing`, `fees_above_ceiling`, `executor_not_ready`, `executor_delegated` or ' +
          '`policy_unreadable`. Null while it can',
      }),
    ),
    policy: Type.Object(
      {
        executorAddress: described(Address, 'The only address whose payments it accepts'),
        approverAddresses: listed.approverAddresses,
        ...caps,
        ...limits,
        expiresAt: policyExpiry,
        ...switches,
      },
      { title: 'ProposedTerms', description: 'What would be in force' },
    ),
    changes: ChangesSchema,
  },
  { title: 'PolicyProposal' },
)
