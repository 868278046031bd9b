import { Type } from 'typebox'
import { executorProviderTypes } from '#platform/config/providers.ts'
import { statesOf } from '#platform/machine.ts'
import { Address, BaseUnits, nullable, oneOf, PosInt, Timestamp, Uuid } from '#platform/values.ts'
import { provisioningMachine } from './executor.machine.ts'

const Binding = Type.Object({
  id: Uuid,
  organizationId: Uuid,
  providerType: oneOf(executorProviderTypes),
  address: Address,
  chainId: PosInt,
  status: oneOf(['active', 'disabled']),
  nativeBalanceWei: BaseUnits,
  createdAt: Timestamp,
})

const Provisioning = Type.Object({
  id: Uuid,
  state: oneOf(statesOf(provisioningMachine)),
  attempts: Type.Integer(),
  failureCode: nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const ExecutorStatusSchema = Type.Object(
  { binding: nullable(Binding), provisioning: nullable(Provisioning) },
  { $id: 'ExecutorStatus' },
)

export const executorComponents = [ExecutorStatusSchema]
