/** What operators see of a vault besides its identity: how it limits payments, and what waits. */
import { Type } from '#platform/schema.ts'
import { described, Hash, NonNeg, nullable, PosInt, Timestamp, Uuid } from '#platform/values.ts'
import { limits } from '#treasury/policy-limits.schema.ts'

const PolicySummarySchema = Type.Object(
  {
    version: described(PosInt, 'The version in force'),
    paused: Type.Boolean({ description: 'Whether the vault refuses every payment' }),
    expiresAt: described(Timestamp, 'From then on the vault refuses every payment'),
    ...limits,
  },
  { title: 'AdminVaultPolicy', description: 'The policy in force. Null without one' },
)

const ProposalSummarySchema = Type.Object(
  {
    id: described(Hash, 'The id of the proposal in the vault'),
    proposedAt: described(Timestamp, 'The time of its block'),
    activatesAt: described(Timestamp, 'From then on it can be put into force'),
    expiresAt: described(Timestamp, 'From then on it is void'),
    prepared: Type.Boolean({ description: 'Whether it was prepared here' }),
  },
  { title: 'AdminVaultProposal', description: 'The policy that waits. Null without one' },
)

export const VaultTermsSchema = Type.Object(
  {
    vaultId: described(Uuid, 'The vault'),
    pauseNumber: described(NonNeg, 'How often the vault was paused'),
    policy: nullable(PolicySummarySchema),
    recipientCount: described(NonNeg, "Recipients on the vault's list, pending ones included"),
    pendingRecipientCount: described(NonNeg, 'Those of them that can be paid only later'),
    blockedRecipientCount: described(NonNeg, 'Addresses that the vault never pays, listed or not'),
    proposal: nullable(ProposalSummarySchema),
  },
  { $id: 'AdminVaultTerms' },
)
