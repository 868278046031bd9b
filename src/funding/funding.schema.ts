import { statesOf } from '#platform/machine.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  BaseUnits,
  baseUnits,
  CreatedAt,
  described,
  Hash,
  line,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { fundingActionMachine } from './funding-action.machine.ts'
import { fundingControlMachine } from './funding-control.machine.ts'
import { fundingReconciliationMachine } from './funding-reconciliation.machine.ts'
import { blockers } from './signer-status.ts'

const PROVIDER_ID_MAX = 200

const allowedFunction = Type.Literal('deposit(uint256)', {
  description: 'The only function of the vault that the signer may call',
})
const nativeValue = Type.Literal('0', {
  description: 'The signer may not send native currency with a call',
})
const policyExpiry = 'When the policy expires. From then on the signer can do nothing'
const depositMax = 'The largest amount of one deposit, in base units of the token'
const chainId = described(PosInt, 'The EIP-155 id of the chain')

const Constraints = Type.Object(
  {
    chainId,
    vaultAddress: described(Address, 'The only contract that the signer may call'),
    allowedFunction,
    maxAmountBaseUnits: described(BaseUnits, depositMax),
    nativeValue,
    expiresAt: described(Timestamp, policyExpiry),
  },
  { title: 'FundingConstraints', description: 'What the policy allows, and nothing else' },
)

export const FundingControlSchema = Type.Object(
  {
    id: described(Uuid, 'Each attachment of a signer to a vault has its own control'),
    organizationId: OrganizationId,
    vaultId: described(Uuid, 'The vault that the signer deposits into'),
    providerPolicyId: Type.String({ description: "The policy's id at the wallet provider" }),
    signerId: Type.String({ description: "The signer's id at the wallet provider" }),
    attachmentState: oneOf(statesOf(fundingControlMachine), {
      description:
        '`pending`: the provider has not attached it yet. `attached`: it has, but the policy ' +
        'read back differs or a negative test is due. `verified`: the policy read back is ' +
        'exactly as requested, and the signer may deposit. `revoked`: another control has ' +
        'replaced it. `failed`: the provider refused it, the policy was changed, or a negative ' +
        'test failed.',
    }),
    constraints: Constraints,
    expiresAt: described(Timestamp, 'The same as in `constraints`'),
    readbackAt: nullable(
      described(Timestamp, 'When the policy was last read from the provider. Null before that'),
    ),
    failureCode: nullable(
      Type.String({
        description:
          'How the policy at the provider differs from the requested one, `probe_not_denied`, ' +
          "`probe_awaited`, or the provider's code. Null if nothing is wrong",
      }),
    ),
  },
  { $id: 'FundingControl', description: 'The policy of the funding signer for one vault' },
)

const SignerWalletRole = Type.Object(
  {
    id: described(Uuid, 'The wallet role, as in `POST …/wallet-roles/{walletRoleId}/revoke`'),
    walletId: described(Uuid, 'The server wallet'),
    address: described(Address, 'The address of the wallet. Send it the tokens to deposit'),
    role: oneOf(['treasury_owner'], { description: 'The only role that may deposit' }),
    active: Type.Boolean({ description: 'False once the role was revoked' }),
  },
  { title: 'ProviderSignerWalletRole' },
)

export const ProviderSignerSchema = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether this deployment has a provider of signers' }),
    signerId: nullable(
      Type.String({ description: 'Send it to attach the signer. Null without a vault' }),
    ),
    policyId: nullable(
      Type.String({
        description:
          'Send it as `providerPolicyId` to attach the signer. Null without a vault, and where ' +
          'the owner creates a policy for each vault at the provider',
      }),
    ),
    chainId: Type.Integer({ description: 'The EIP-155 id of the chain' }),
    vaultAddress: Type.String({
      description: 'The address of the default vault. Empty without one',
    }),
    allowedFunction,
    maxAmountBaseUnits: nullable(described(BaseUnits, `${depositMax}. Null without a provider`)),
    nativeValue,
    expiresAt: nullable(
      described(Timestamp, 'When the policy expires. Null if that is decided when it is attached'),
    ),
    signerStatus: oneOf(['unavailable', 'unverified', 'attached', 'not_attached'], {
      description:
        '`unavailable`: no provider, or it did not answer last time. `not_attached`: no control, ' +
        'or it failed. `unverified`: the control is pending. `attached`: the provider has it.',
    }),
    policyStatus: oneOf(['unavailable', 'unverified', 'verified', 'invalid', 'expired'], {
      description:
        '`unavailable`: no provider or control, or no answer last time. `unverified`: not read ' +
        'back yet. `verified`: as requested. `invalid`: it differs, see `failureCode` of the ' +
        'control. `expired`: past `expiresAt`.',
    }),
    evidenceStatus: Type.Literal('live-unproven', {
      description: "Always the same: no proof ran against the provider's real service",
    }),
    blockers: Type.Array(oneOf(blockers), {
      description:
        'What prevents a deposit, most basic first. Empty if the signer can deposit. ' +
        '`allowance_missing`: the wallet has not approved the vault to take its tokens. ' +
        '`wallet_unfunded`: the wallet has no tokens or no gas.',
    }),
    walletRoles: Type.Array(SignerWalletRole, {
      description:
        'Server wallets of the organization with the role `treasury_owner`, newest first',
    }),
  },
  {
    $id: 'ProviderSigner',
    description: 'The funding signer for the default vault, from stored observations',
  },
)

const kinds = ['deposit', 'withdraw_probe'] as const
const kindMeaning =
  '`deposit`: move tokens from the wallet into the vault. `withdraw_probe`: a negative test, ' +
  'which requests a withdrawal that the policy must deny; no funds move.'

export const FundingActionSchema = Type.Object(
  {
    id: described(Uuid, 'As in `GET …/provider-funding-actions/{actionId}`'),
    vaultId: nullable(described(Uuid, 'The default vault at the time of the request')),
    action: oneOf(kinds, { description: kindMeaning }),
    amountBaseUnits: described(BaseUnits, 'In base units of the token'),
    state: oneOf(statesOf(fundingActionMachine), {
      description:
        '`requested`: stored, nothing is sent yet. `broadcast`: sent to the chain or delegated ' +
        'to the provider. `confirmed`: the deposit is final. `denied`: the policy denied it, ' +
        'which is the good outcome of a `withdraw_probe`. `failed`: see `failureCode`.',
    }),
    transactionHash: nullable(described(Hash, 'Of the deposit. Null before it is sent')),
    providerReference: nullable(
      Type.String({ description: "The provider's id of a delegated transaction, otherwise null" }),
    ),
    failureCode: nullable(
      Type.String({
        description:
          'Why it failed or was denied, such as `signer_not_ready`, `transaction_reverted`, ' +
          '`nonce_taken`, `gas_missing` or `probe_not_denied`. Null otherwise',
      }),
    ),
    createdAt: CreatedAt,
    updatedAt: UpdatedAt,
    broadcastAt: nullable(described(Timestamp, 'When it was sent. Null before that')),
    confirmedAt: nullable(described(Timestamp, 'When the deposit was final. Null before that')),
    reconciledAt: nullable(described(Timestamp, 'When its outcome was certain. Null before that')),
    reconciliationState: oneOf(statesOf(fundingReconciliationMachine), {
      description:
        '`pending` while it runs. `required`: its outcome has been unknown for two minutes, so a ' +
        'person should look at it. Otherwise the same as the final `state`.',
    }),
    balanceBeforeBaseUnits: nullable(
      described(BaseUnits, "The vault's balance before a deposit. Null before it is sent"),
    ),
    balanceAfterBaseUnits: nullable(
      described(BaseUnits, "The vault's balance after a deposit. Null before it is confirmed"),
    ),
  },
  { $id: 'FundingAction', description: 'A deposit or a negative test of the funding signer' },
)

export const NoControl = Type.Null({ description: 'No signer was ever attached to the vault' })

export const ActionParams = Type.Object({
  organizationId: OrganizationId,
  actionId: described(Uuid, 'The funding action, from its request or the list'),
})

const providerId = (description: string) => line({ max: PROVIDER_ID_MAX, description })

export const AttachControlBody = Type.Object(
  {
    providerPolicyId: providerId('`policyId` of `GET …/provider-signer`, or your own policy'),
    signerId: providerId('`signerId` of `GET …/provider-signer`'),
  },
  { additionalProperties: false },
)

export const RequestActionBody = Type.Object(
  {
    action: oneOf(kinds, { description: kindMeaning }),
    amountBaseUnits: described(
      baseUnits({ digits: 78 }),
      'In base units of the token. A deposit needs at least 1; a negative test may have 0',
    ),
    idempotencyKey: described(
      Uuid,
      'Your own id of this request, remembered for ever: repeating it creates no second action',
    ),
    approvalTransactionHash: Type.Optional(
      described(
        Hash,
        "The token approval by the wallet's owner, to have it checked. Ignored by a negative test",
      ),
    ),
  },
  { additionalProperties: false },
)

export const fundingComponents = [FundingControlSchema, ProviderSignerSchema, FundingActionSchema]
