import { type TSchema, Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import {
  Address,
  BaseUnits,
  extension,
  Hash,
  line,
  NonNeg,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { intentMachine } from './chain-intent.machine.ts'
import { vaultMachine } from './vault.machine.ts'

export const VaultParams = Type.Object({ organizationId: Uuid, vaultId: Uuid })
export const IntentParams = Type.Object({ organizationId: Uuid, intentId: Uuid })
export const VaultIntentParams = Type.Object({
  organizationId: Uuid,
  vaultId: Uuid,
  intentId: Uuid,
})

export const VaultSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    label: Type.String(),
    isDefault: Type.Boolean(),
    archivedAt: nullable(Timestamp),
    createdByAccountId: nullable(Uuid),
    chainId: PosInt,
    address: Address,
    tokenAddress: Address,
    ownerAddress: Address,
    artifactHash: Hash,
    deploymentTransactionHash: Hash,
    status: oneOf(statesOf(vaultMachine)),
    createdAt: { ...Timestamp, ...extension },
  },
  { $id: 'Vault' },
)

export const VaultListSchema = Type.Object({
  vaults: Type.Array(component(VaultSchema)),
  nextCursor: NextCursor,
})

const caps = {
  approvedCap: BaseUnits,
  automaticCap: BaseUnits,
  lifetimeCap: BaseUnits,
  reserveFloor: BaseUnits,
}

export const PolicySchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    version: PosInt,
    executorAddress: Address,
    ...caps,
    spentTotal: BaseUnits,
    expiresAt: Timestamp,
    automaticEnabled: Type.Boolean(),
    paused: Type.Boolean(),
    chainTransactionHash: Hash,
  },
  { $id: 'Policy' },
)

// A $ref has no type to widen, so null is expressed with anyOf.
const orNull = <T extends TSchema>(schema: T & { $id?: string }) =>
  Type.Union([component(schema), Type.Null()])

export const OverviewSchema = Type.Object(
  {
    configured: Type.Boolean(),
    vault: orNull(VaultSchema),
    policy: orNull(PolicySchema),
    balanceBaseUnits: nullable(BaseUnits),
    remainingAllowanceBaseUnits: nullable(BaseUnits),
    asOfBlock: nullable({ ...NonNeg, ...extension }),
    asOfTime: nullable({ ...Timestamp, ...extension }),
  },
  { $id: 'TreasuryOverview' },
)

const addresses = (description: string) => Type.Array(Address, { description })

const DifferencesSchema = Type.Object({
  missingRecipients: addresses('Active recipients that the policy does not list'),
  extraRecipients: addresses('Listed by the policy, but no longer active recipients'),
  missingApprovers: addresses('Wallets with the approver role that the policy does not list'),
  extraApprovers: addresses('Listed by the policy, but no longer with the approver role'),
  executorDiffers: Type.Boolean({
    description: "Whether the policy's executor is not the organization's active one",
  }),
})

const VaultPolicySchema = Type.Object(
  {
    ...PolicySchema.properties,
    approverAddresses: addresses('Wallets whose signature the vault accepts'),
    recipientAddresses: addresses('Addresses that the vault may pay'),
  },
  { $id: 'VaultPolicy', 'x-extension': true },
)

const amount = (description: string) => Type.Unsafe<string>({ ...BaseUnits, description })

export const VaultDetailSchema = Type.Object(
  {
    ...VaultSchema.properties,
    balanceBaseUnits: amount('What the vault holds'),
    reservedBaseUnits: amount('Reserved for live payments'),
    availableBaseUnits: nullable(
      amount('Balance minus reserved minus reserve floor, at least 0. Null without a policy.'),
    ),
    remainingAllowanceBaseUnits: nullable(
      amount('What is left of the lifetime cap. Null without a policy.'),
    ),
    policy: orNull(VaultPolicySchema),
    differences: Type.Union([DifferencesSchema, Type.Null()], {
      description:
        'How the policy differs from the organization. A policy that is prepared now adds what ' +
        'is missing and removes what is extra. Null without a policy.',
    }),
    asOfBlock: nullable({ ...NonNeg, description: 'The newest block that the figures include' }),
    asOfTime: nullable({ ...Timestamp, description: 'When the chain was last read' }),
  },
  { $id: 'VaultDetail', 'x-extension': true },
)

export const MemberFundsSchema = Type.Object(
  {
    asset: oneOf(['USDC']),
    chainId: PosInt,
    tokenAddress: Address,
    receivedBaseUnits: BaseUnits,
    confirmedPaymentCount: NonNeg,
    latestConfirmedAt: nullable(Timestamp),
    walletAddresses: Type.Array(Address),
    source: oneOf(['confirmed_payment_receipts']),
  },
  { $id: 'MemberFunds' },
)

const TransactionSchema = Type.Object({
  chainId: PosInt,
  from: Address,
  to: nullable(Address),
  data: Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' }),
  value: oneOf(['0x0']),
  gas: Type.String({ pattern: '^0x[0-9a-f]+$' }),
})

const intentFields = {
  transaction: TransactionSchema,
  state: oneOf(statesOf(intentMachine)),
  transactionHash: nullable(Hash),
  failureCode: nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const DeploymentSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    label: Type.String(),
    chainId: PosInt,
    tokenAddress: Address,
    ownerAddress: Address,
    organizationHash: Hash,
    artifactHash: Hash,
    constructorDataHash: Hash,
    ...intentFields,
    vault: orNull(VaultSchema),
  },
  { $id: 'VaultDeploymentIntent' },
)

const list = Type.Object({ added: Type.Array(Address), removed: Type.Array(Address) })
const change = (type: 'string' | 'boolean') =>
  nullable(
    Type.Object({
      from: Type.Unsafe<string | boolean | null>({ type: [type, 'null'] }),
      to: Type.Unsafe<string | boolean>({ type }),
    }),
  )

const ChangesSchema = Type.Object(
  {
    recipients: list,
    approvers: list,
    executor: change('string'),
    approvedCap: change('string'),
    automaticCap: change('string'),
    lifetimeCap: change('string'),
    reserveFloor: change('string'),
    expiresAt: change('string'),
    automaticEnabled: change('boolean'),
    paused: change('boolean'),
  },
  extension,
)

export const PolicyIntentSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    vaultId: Uuid,
    executorAddress: Address,
    approverAddresses: Type.Array(Address),
    recipientAddresses: Type.Array(Address),
    ...caps,
    expiresAt: Timestamp,
    automaticEnabled: Type.Boolean(),
    paused: Type.Boolean(),
    changes: ChangesSchema,
    ...intentFields,
    policyVersion: nullable(Type.Integer()),
  },
  { $id: 'PolicyIntent' },
)

const preparation = {
  createdByAccountId: Type.Unsafe<string>({ ...Uuid, description: 'Who prepared it' }),
  displayName: nullable(Type.String({ description: 'Name of that member, if known' })),
  submittedAt: nullable({ ...Timestamp, description: 'When the transaction hash was submitted' }),
}

const ListedDeploymentSchema = Type.Object(
  { ...DeploymentSchema.properties, ...preparation },
  { $id: 'ListedVaultDeployment', 'x-extension': true },
)

const ListedPolicyIntentSchema = Type.Object(
  { ...PolicyIntentSchema.properties, ...preparation },
  { $id: 'ListedPolicyIntent', 'x-extension': true },
)

export const DeploymentListSchema = Type.Object({
  vaultDeployments: Type.Array(component(ListedDeploymentSchema)),
  nextCursor: NextCursor,
})

export const PolicyIntentListSchema = Type.Object({
  policyIntents: Type.Array(component(ListedPolicyIntentSchema)),
  nextCursor: NextCursor,
})

const closed = { additionalProperties: false }
const label = line({ max: 100 })

export const RegisterVaultBody = Type.Object(
  {
    label: Type.Optional(line({ max: 100, description: 'Defaults to "Primary vault"' })),
    address: Address,
    deploymentTransactionHash: Hash,
  },
  closed,
)
export const PrepareDeploymentBody = Type.Object({ label }, closed)
export const ConfirmBody = Type.Object({ transactionHash: Hash }, closed)
export const SyncPolicyBody = Type.Object({ chainTransactionHash: Hash }, closed)
export const PreparePolicyBody = Type.Object(
  {
    ...caps,
    expiresAt: Timestamp,
    automaticEnabled: Type.Boolean(),
    paused: Type.Boolean(),
  },
  closed,
)

export const treasuryComponents = [
  VaultSchema,
  PolicySchema,
  OverviewSchema,
  MemberFundsSchema,
  DeploymentSchema,
  PolicyIntentSchema,
  VaultPolicySchema,
  VaultDetailSchema,
  ListedDeploymentSchema,
  ListedPolicyIntentSchema,
]
