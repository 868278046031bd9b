import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { type TSchema, Type } from '#platform/schema.ts'
import {
  Address,
  added,
  BaseUnits,
  described,
  Hash,
  line,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { addresses, caps, listed, policyExpiry, switches } from './policy-fields.schema.ts'
import { limits } from './policy-limits.schema.ts'
import { ProposalSchema } from './proposal.schema.ts'
import { vaultMachine } from './vault.machine.ts'

const vaultId = described(Uuid, 'The id of the vault')

export const VaultParams = Type.Object({ organizationId: OrganizationId, vaultId })

/** What vaults and their prepared deployments have in common. */
export const chainFields = {
  chainId: described(PosInt, 'The chain of the vault'),
  tokenAddress: described(Address, 'The token that the vault holds and pays'),
}

/** The contract allows at most seven days. */
export const ChangeDelay = Type.Integer({ minimum: 0, maximum: 604_800 })

export const VaultSchema = Type.Object(
  {
    id: vaultId,
    organizationId: OrganizationId,
    label: Type.String({ description: 'The name of the vault in this organization' }),
    isDefault: Type.Boolean({
      description:
        'Whether `GET …/overview` shows this vault. The first verified vault becomes the default',
    }),
    archivedAt: nullable(described(Timestamp, 'When an owner archived it. Null while it is used')),
    createdByAccountId: nullable(
      described(Uuid, 'Who registered it or prepared its deployment. Null if nobody is known'),
    ),
    ...chainFields,
    address: described(Address, 'The address of the contract. Deposits are transfers to it'),
    ownerAddress: described(
      Address,
      'The wallet that sets the policy and may withdraw. Provisional while `status` is `pending`',
    ),
    artifactHash: described(Hash, 'The hash of the published contract that this vault must be'),
    deploymentTransactionHash: described(Hash, 'The transaction that created the vault'),
    status: oneOf(statesOf(vaultMachine), {
      description:
        '`pending`: its deployment is not final yet. `verified`: its code, owner and deployment ' +
        'were checked on chain. `disabled`: the check failed; register or deploy another',
    }),
    changeDelaySeconds: added(ChangeDelay, 'How long new policies and recipients wait'),
    createdAt: added(Timestamp, 'When it was registered here'),
  },
  { $id: 'Vault' },
)

export const VaultListSchema = Type.Object({
  vaults: Type.Array(component(VaultSchema), { description: 'Newest first' }),
  nextCursor: NextCursor,
})

export const PolicySchema = Type.Object(
  {
    id: described(Uuid, 'The id of this version of the policy'),
    organizationId: OrganizationId,
    version: described(PosInt, 'Counts the policies of the vault, from 1'),
    executorAddress: described(Address, 'The only address whose payments the vault accepts'),
    ...caps,
    ...limits,
    spentTotal: described(BaseUnits, 'What the vault has paid so far, under all its policies'),
    expiresAt: policyExpiry,
    ...switches,
    chainTransactionHash: described(Hash, 'The transaction that configured this version'),
  },
  { $id: 'Policy' },
)

// A $ref has no type to widen, so null is expressed with anyOf.
export const orNull = <T extends TSchema>(schema: T & { $id?: string }, description: string) =>
  Type.Union([component(schema), Type.Null()], { description })

const amount = (description: string) => nullable(described(BaseUnits, description))

export const OverviewSchema = Type.Object(
  {
    configured: Type.Boolean({
      description: 'Whether the default vault has a policy, so that payments are possible',
    }),
    vault: orNull(VaultSchema, 'The default vault. Null until a vault is verified'),
    policy: orNull(PolicySchema, 'The policy in force. Null until one is configured'),
    balanceBaseUnits: amount('What the vault holds. Null without a vault'),
    remainingAllowanceBaseUnits: amount(
      'The lifetime cap minus what was paid and what live payments hold. Null without a policy',
    ),
    asOfBlock: nullable(
      added(NonNeg, 'The newest block that the figures include. Null before the first was read'),
    ),
    asOfTime: nullable(added(Timestamp, 'When the chain was last read. Null if it was never read')),
  },
  { $id: 'TreasuryOverview' },
)

const PendingRecipientSchema = Type.Object(
  {
    address: described(Address, 'The recipient'),
    allowedFrom: described(Timestamp, 'From then on the vault pays it'),
  },
  { title: 'PendingRecipient' },
)

const PeriodSchema = Type.Object(
  {
    periodSeconds: described(PosInt, 'The length of a period. The first began with 1970 (UTC)'),
    endsAt: described(Timestamp, 'When the next period begins'),
    spentBaseUnits: described(
      BaseUnits,
      'What the vault has paid in this period. A new policy carries over what an unfinished ' +
        'period has paid',
    ),
    automaticSpentBaseUnits: described(BaseUnits, 'The part of it that nobody signed'),
    reservedBaseUnits: described(BaseUnits, 'Reserved for live payments'),
    remainingBaseUnits: described(BaseUnits, 'What is left of the cap, at least 0'),
    automaticRemainingBaseUnits: described(
      BaseUnits,
      'What may still be paid automatically, at least 0',
    ),
  },
  { title: 'VaultPeriod' },
)

const DifferencesSchema = Type.Object(
  {
    missingRecipients: addresses('Active recipients that the policy does not list'),
    extraRecipients: addresses('Listed by the policy, but no longer active recipients'),
    missingApprovers: addresses('Wallets with the approver role that the policy does not list'),
    extraApprovers: addresses('Listed by the policy, but no longer with the approver role'),
    executorDiffers: Type.Boolean({
      description: "Whether the policy's executor is not the organization's active one",
    }),
  },
  { title: 'PolicyDifferences' },
)

const VaultPolicySchema = Type.Object(
  { ...PolicySchema.properties, ...listed },
  { $id: 'VaultPolicy', 'x-extension': true },
)

export const VaultDetailSchema = Type.Object(
  {
    ...VaultSchema.properties,
    balanceBaseUnits: described(BaseUnits, 'What the vault holds'),
    reservedBaseUnits: described(BaseUnits, 'Reserved for live payments'),
    availableBaseUnits: amount(
      'Balance minus reserved minus reserve floor, at least 0. Null without a policy',
    ),
    remainingAllowanceBaseUnits: amount(
      'The lifetime cap minus what was paid and what live payments hold. Null without a policy',
    ),
    policy: orNull(VaultPolicySchema, 'The policy in force. Null until one is configured'),
    differences: Type.Union([DifferencesSchema, Type.Null()], {
      description:
        'How the policy differs from the organization. A policy that is prepared now adds what ' +
        'is missing and removes what is extra. Null without a policy',
    }),
    recipientsVersion: described(NonNeg, 'Counts the changes of the list of recipients, from 1'),
    earlyRecipientAddresses: addresses(
      'What the vault lists while it has no policy. Once it has one, `policy` lists them',
    ),
    pauseNumber: described(
      NonNeg,
      'The number of the newest pause. The owner names it to lift that pause',
    ),
    pendingRecipients: Type.Array(PendingRecipientSchema, {
      description: 'Listed recipients that the vault does not pay yet',
    }),
    blockedRecipientAddresses: addresses(
      'Addresses that the owner or an approver has blocked, listed or not',
    ),
    period: Type.Union([PeriodSchema, Type.Null()], {
      description: 'The current spending period. Null without one',
    }),
    proposal: Type.Union([ProposalSchema, Type.Null()], {
      description: 'The policy that waits before it takes effect. Null if none does',
    }),
    asOfBlock: nullable(
      described(NonNeg, 'The newest block that the figures include. Null before the first'),
    ),
    asOfTime: nullable(
      described(Timestamp, 'When the chain was last read. Null if it was never read'),
    ),
  },
  { $id: 'VaultDetail', 'x-extension': true },
)

export const MemberFundsSchema = Type.Object(
  {
    asset: oneOf(['USDC'], { description: 'The currency of the amounts' }),
    chainId: described(PosInt, 'The chain on which the payments were made'),
    tokenAddress: described(Address, 'The contract of the token'),
    receivedBaseUnits: described(BaseUnits, 'The sum of the payments, with 6 decimals'),
    confirmedPaymentCount: described(NonNeg, 'How many payments the sum includes'),
    latestConfirmedAt: nullable(
      described(Timestamp, 'The time of the block of the newest payment. Null without payments'),
    ),
    walletAddresses: Type.Array(Address, {
      description: 'The Ethereum wallets of the caller, whose payments are counted',
    }),
    source: oneOf(['confirmed_payment_receipts'], {
      description: 'Only payments in final blocks are counted, not other transfers',
    }),
  },
  { $id: 'MemberFunds' },
)

const closed = { additionalProperties: false }
const label = { max: 100, description: 'The name of the vault in this organization' }

export const RegisterVaultBody = Type.Object(
  {
    label: Type.Optional(line({ ...label, description: 'Defaults to "Primary vault"' })),
    address: described(Address, 'The address of the contract'),
    deploymentTransactionHash: described(Hash, 'The transaction that created the contract'),
  },
  closed,
)

export const PrepareDeploymentBody = Type.Object(
  {
    label: line(label),
    changeDelaySeconds: Type.Optional(
      added(
        ChangeDelay,
        'How long new policies and recipients wait before they take effect, so that a mistake or ' +
          'a theft can be noticed. It never changes. Defaults to 0: they take effect at once',
      ),
    ),
  },
  closed,
)

export const treasuryComponents = [
  VaultSchema,
  PolicySchema,
  OverviewSchema,
  MemberFundsSchema,
  VaultPolicySchema,
  VaultDetailSchema,
]
