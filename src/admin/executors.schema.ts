/** The executors of all organizations, for operators. */

import { ExecutorProvider } from '#executor/executor.schema.ts'
import { component } from '#http/openapi.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import { severities } from '#platform/severity.ts'
import {
  Address,
  BaseUnits,
  CreatedAt,
  described,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'

export const AdminExecutorSchema = Type.Object(
  {
    id: described(Uuid, 'The id of the binding. Ids increase with time'),
    organizationId: OrganizationId,
    organizationName: Type.String({ description: "The organization's name" }),
    providerType: ExecutorProvider,
    address: described(Address, 'The address that sends the transactions'),
    chainId: described(PosInt, 'The chain on which it sends transactions'),
    status: oneOf(['active', 'disabled'], {
      description: '`disabled`: another executor of the organization has taken its place.',
    }),
    nativeBalanceWei: described(BaseUnits, 'What the address holds to pay for gas, in wei'),
    balanceReadAt: nullable(
      described(Timestamp, 'When this balance was read. Null if it was not read yet'),
    ),
    paysOwnGas: Type.Boolean({ description: 'False where the provider sponsors gas' }),
    isHeld: Type.Boolean({
      description: 'Sends nothing, because the chain has transactions that the database lacks',
    }),
    severity: oneOf(severities, {
      description: 'How well it can send. Failed provisionings are not in this list',
    }),
    code: nullable(Type.String({ description: 'Why, such as `gas_low`. Null if all is well' })),
    createdAt: CreatedAt,
  },
  {
    $id: 'AdminExecutor',
    description: 'An executor with its gas, as operators see it',
    'x-extension': true,
  },
)

export const AdminExecutorListSchema = Type.Object(
  {
    executors: Type.Array(component(AdminExecutorSchema), { description: 'Newest first' }),
    nextCursor: NextCursor,
  },
  { title: 'AdminExecutorList' },
)
