/** Prepared transactions: vault deployments and policies. */

import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { type TSchema, Type } from '#platform/schema.ts'
import {
  Address,
  added,
  BaseUnits,
  CreatedAt,
  described,
  extension,
  Hash,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { intentMachine } from './chain-intent.machine.ts'
import { chosenLimits, limitChanges, limits } from './policy-limits.schema.ts'
import {
  ChangeDelay,
  caps,
  chainFields,
  listed,
  orNull,
  policyExpiry,
  switches,
  VaultParams,
  VaultSchema,
} from './treasury.schema.ts'

const intentId = described(Uuid, 'The id of the prepared transaction, from its preparation')

export const IntentParams = Type.Object({ organizationId: OrganizationId, intentId })
export const VaultIntentParams = Type.Object({ ...VaultParams.properties, intentId })

const TransactionSchema = Type.Object(
  {
    chainId: described(PosInt, 'The chain on which to send it'),
    from: described(Address, 'The wallet that must sign and send it: the owner of the vault'),
    to: nullable(described(Address, 'The vault. Null to create one')),
    data: Type.String({
      pattern: '^0x([0-9a-fA-F]{2})*$',
      description: 'The call data. A changed transaction is rejected',
    }),
    value: oneOf(['0x0'], { description: 'It sends no native coin' }),
    gas: Type.String({
      pattern: '^0x[0-9a-f]+$',
      description: 'A gas limit with a margin, in hexadecimal. Gas that is not used is not charged',
    }),
  },
  {
    title: 'PreparedTransaction',
    description: 'What the wallet signs and sends, as `eth_sendTransaction` takes it',
  },
)

const intentFields = {
  transaction: TransactionSchema,
  state: oneOf(statesOf(intentMachine), {
    description:
      '`prepared`: its hash is not submitted yet. `submitted`: waits until it is final. ' +
      '`reconciling`: no node has known it for two minutes. `confirmed`: final, as prepared. ' +
      '`rejected`: final or found, but not as prepared. `failed`: reverted, or not found for a day',
  }),
  transactionHash: nullable(described(Hash, 'As submitted. Null until then')),
  failureCode: nullable(
    Type.String({
      description:
        'Why it was rejected or has failed: `transaction_mismatch`, `transaction_reverted`, ' +
        '`transaction_not_found`, `treasury_owner_required` (the owner lost that role) or ' +
        '`superseded` (a newer policy or list of recipients is in force). Null in other states',
    }),
  ),
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
}

export const DeploymentSchema = Type.Object(
  {
    id: intentId,
    organizationId: OrganizationId,
    label: Type.String({ description: 'The name that the vault will have' }),
    ...chainFields,
    ownerAddress: described(Address, 'The wallet that will own the vault'),
    organizationHash: described(
      Hash,
      'Stands for the organization on chain. Salted, so that nobody else can tell which one it is',
    ),
    artifactHash: described(Hash, 'The hash of the published contract'),
    constructorDataHash: described(Hash, 'keccak256 of the `data` of the transaction'),
    changeDelaySeconds: added(ChangeDelay, 'How long new policies and recipients will wait'),
    ...intentFields,
    vault: orNull(VaultSchema, 'The deployed vault. Null until the state is `confirmed`'),
  },
  { $id: 'VaultDeploymentIntent' },
)

const AddressListChange = (description: string) =>
  Type.Object(
    {
      added: Type.Array(Address, { description: 'Not in the policy in force, but in this one' }),
      removed: Type.Array(Address, { description: 'In the policy in force, but not in this one' }),
    },
    { title: 'AddressListChange', description },
  )

const changeOf =
  <T extends TSchema>(title: string, value: T) =>
  (what: string) =>
    nullable(
      Type.Object(
        {
          from: nullable(described(value, 'In the policy in force. Null if there is none')),
          to: described(value, 'In the prepared policy'),
        },
        { title, description: `${what}. Null if unchanged` },
      ),
    )

const addressChange = changeOf('AddressChange', Address)
const amountChange = changeOf('AmountChange', BaseUnits)
const timeChange = changeOf('TimeChange', Timestamp)
const switchChange = changeOf('SwitchChange', Type.Boolean())

const ChangesSchema = Type.Object(
  {
    recipients: AddressListChange('Addresses that the vault may pay: what the transaction changes'),
    approvers: AddressListChange('Wallets whose signature the vault accepts'),
    executor: addressChange('Who sends the payments'),
    approvedCap: amountChange('The most that one approved payment may be'),
    automaticCap: amountChange('The most that one automatic payment may be'),
    lifetimeCap: amountChange('The most that the vault may pay in total'),
    reserveFloor: amountChange('What a payment must leave in the vault'),
    ...limitChanges,
    expiresAt: timeChange('When the policy ends'),
    automaticEnabled: switchChange('Whether the vault makes automatic payments'),
    paused: switchChange('Whether the vault refuses every payment'),
  },
  {
    ...extension,
    title: 'PolicyChanges',
    description:
      'How it differs from the policy in force when it was prepared. Show it before signing',
  },
)

export const PolicyIntentSchema = Type.Object(
  {
    id: intentId,
    organizationId: OrganizationId,
    vaultId: described(Uuid, 'The vault that it configures'),
    executorAddress: described(Address, "The organization's active executor when it was prepared"),
    ...listed,
    ...caps,
    ...limits,
    expiresAt: policyExpiry,
    ...switches,
    changes: ChangesSchema,
    kind: oneOf(['policy', 'recipients', 'policy_and_recipients'], {
      description:
        'What the transaction sets. `recipients`: only the list of recipients changes, the ' +
        'policy keeps its version, and approvals that wait stay valid',
      ...extension,
    }),
    remainingRecipientChanges: added(
      NonNeg,
      'Changes of recipients that did not fit into this transaction, which takes 500. Prepare ' +
        'again once it is confirmed',
    ),
    activatesAt: nullable(
      added(Timestamp, 'When a policy that waits can come into force. Null if it does not wait'),
    ),
    proposalId: nullable(added(Hash, 'The id of a policy that waits. Null if it does not wait')),
    ...intentFields,
    policyVersion: nullable(
      Type.Integer({ description: 'The version in force. Null until the state is `confirmed`' }),
    ),
  },
  { $id: 'PolicyIntent' },
)

const preparation = {
  createdByAccountId: described(Uuid, 'Who prepared it'),
  displayName: nullable(Type.String({ description: 'Name of that member, if known' })),
  submittedAt: nullable(
    described(Timestamp, 'When the newest transaction hash was submitted. Null until then'),
  ),
}

const ListedDeploymentSchema = Type.Object(
  { ...DeploymentSchema.properties, ...preparation },
  { $id: 'ListedVaultDeployment', 'x-extension': true },
)

const ListedPolicyIntentSchema = Type.Object(
  { ...PolicyIntentSchema.properties, ...preparation },
  { $id: 'ListedPolicyIntent', 'x-extension': true },
)

export const DeploymentListSchema = Type.Object(
  {
    vaultDeployments: Type.Array(component(ListedDeploymentSchema), {
      description: 'Newest first',
    }),
    nextCursor: NextCursor,
  },
  { title: 'VaultDeploymentList' },
)

export const PolicyIntentListSchema = Type.Object(
  {
    policyIntents: Type.Array(component(ListedPolicyIntentSchema), { description: 'Newest first' }),
    nextCursor: NextCursor,
  },
  { title: 'PolicyIntentList' },
)

const closed = { additionalProperties: false }

export const ConfirmBody = Type.Object(
  { transactionHash: described(Hash, 'The hash that the wallet returned when it sent it') },
  closed,
)

export const SyncPolicyBody = Type.Object(
  { chainTransactionHash: described(Hash, 'The transaction that configured the policy') },
  closed,
)

export const PreparePolicyBody = Type.Object(
  { ...caps, ...chosenLimits, expiresAt: policyExpiry, ...switches },
  closed,
)

export const intentComponents = [
  DeploymentSchema,
  PolicyIntentSchema,
  ListedDeploymentSchema,
  ListedPolicyIntentSchema,
]
