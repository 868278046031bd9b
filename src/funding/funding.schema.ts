import { Type } from 'typebox'
import { statesOf } from '#platform/machine.ts'
import {
  Address,
  BaseUnits,
  baseUnits,
  Hash,
  line,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { fundingActionMachine } from './funding-action.machine.ts'
import { fundingControlMachine } from './funding-control.machine.ts'
import { fundingReconciliationMachine } from './funding-reconciliation.machine.ts'

const PROVIDER_ID_MAX = 200

const allowedFunction = Type.Literal('deposit(uint256)')
const nativeValue = Type.Literal('0')

export const FundingControlSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    vaultId: Uuid,
    providerPolicyId: Type.String(),
    signerId: Type.String(),
    attachmentState: oneOf(statesOf(fundingControlMachine)),
    constraints: Type.Object({
      chainId: PosInt,
      vaultAddress: Address,
      allowedFunction,
      maxAmountBaseUnits: BaseUnits,
      nativeValue,
      expiresAt: Timestamp,
    }),
    expiresAt: Timestamp,
    readbackAt: nullable(Timestamp),
    failureCode: nullable(Type.String()),
  },
  { $id: 'FundingControl' },
)

const WalletRole = Type.Object({
  id: Uuid,
  walletId: Uuid,
  address: Address,
  role: oneOf(['treasury_owner']),
  active: Type.Boolean(),
})

export const ProviderSignerSchema = Type.Object(
  {
    enabled: Type.Boolean(),
    signerId: nullable(Type.String()),
    policyId: nullable(Type.String()),
    chainId: Type.Integer(),
    vaultAddress: Type.String(),
    allowedFunction,
    maxAmountBaseUnits: nullable(Type.String()),
    nativeValue,
    expiresAt: nullable(Type.String()),
    signerStatus: oneOf(['unavailable', 'unverified', 'attached', 'not_attached']),
    policyStatus: oneOf(['unavailable', 'unverified', 'verified', 'invalid', 'expired']),
    evidenceStatus: Type.Literal('live-unproven'),
    blockers: Type.Array(Type.String()),
    walletRoles: Type.Array(WalletRole),
  },
  { $id: 'ProviderSigner' },
)

const time = nullable(Type.String())

export const FundingActionSchema = Type.Object(
  {
    id: Uuid,
    vaultId: nullable(Uuid),
    action: oneOf(['deposit', 'withdraw_probe']),
    amountBaseUnits: Type.String(),
    state: oneOf(statesOf(fundingActionMachine)),
    transactionHash: nullable(Type.String()),
    providerReference: nullable(Type.String()),
    failureCode: nullable(Type.String()),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    broadcastAt: time,
    confirmedAt: time,
    reconciledAt: time,
    reconciliationState: oneOf(statesOf(fundingReconciliationMachine)),
    balanceBeforeBaseUnits: nullable(Type.String()),
    balanceAfterBaseUnits: nullable(Type.String()),
  },
  { $id: 'FundingAction' },
)

export const NoControl = Type.Null()

export const ActionParams = Type.Object({ organizationId: Uuid, actionId: Uuid })

export const AttachControlBody = Type.Object(
  { providerPolicyId: line({ max: PROVIDER_ID_MAX }), signerId: line({ max: PROVIDER_ID_MAX }) },
  { additionalProperties: false },
)

export const RequestActionBody = Type.Object(
  {
    action: oneOf(['deposit', 'withdraw_probe']),
    amountBaseUnits: baseUnits({ digits: 78 }),
    idempotencyKey: Uuid,
    approvalTransactionHash: Type.Optional(Hash),
  },
  { additionalProperties: false },
)

export const fundingComponents = [FundingControlSchema, ProviderSignerSchema, FundingActionSchema]
