import { executorProviderTypes } from '#platform/config/providers.ts'
import { statesOf } from '#platform/machine.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  added,
  BaseUnits,
  CreatedAt,
  described,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { bindingMachine, provisioningMachine } from './executor.machine.ts'

export const ExecutorProvider = oneOf(executorProviderTypes, {
  description:
    'Who holds the key. `local`: the keystore of this service. ' +
    '`developer_controlled_wallet`: Circle, over its API. ' +
    '`agent_stack_cli`: a provider, over its command-line program',
})

const Binding = Type.Object(
  {
    id: described(Uuid, 'The id of the binding'),
    organizationId: OrganizationId,
    providerType: ExecutorProvider,
    address: described(Address, 'The address that a policy must name for its vault to pay'),
    chainId: described(PosInt, 'The chain on which it sends transactions'),
    status: oneOf(['active', 'disabled'], {
      description: 'An answer only has the active binding of an organization',
    }),
    nativeBalanceWei: described(
      BaseUnits,
      'What the address holds to pay for gas, in wei. Read every 30 seconds',
    ),
    createdAt: CreatedAt,
  },
  {
    title: 'ExecutorBinding',
    description: 'The executor of the policy in force. Null until one is provisioned',
  },
)

const Provisioning = Type.Object(
  {
    id: described(Uuid, 'The id of the provisioning'),
    state: oneOf(statesOf(provisioningMachine), {
      description:
        '`requested`: a worker has yet to start. `provisioning`: a worker asks the provider. ' +
        '`active`: the executor is bound. `failed`: the provider was asked in vain',
    }),
    attempts: Type.Integer({
      description: 'How often a worker has asked the provider. A retry starts at 0 again',
    }),
    failureCode: nullable(
      Type.String({
        description: '`provider_unavailable` if it failed after five attempts. Null otherwise',
      }),
    ),
    createdAt: CreatedAt,
    updatedAt: UpdatedAt,
  },
  {
    title: 'ExecutorProvisioning',
    description: 'The newest provisioning. Null before the first one',
  },
)

const OtherBinding = Type.Object(
  {
    id: described(Uuid, 'The id of the binding'),
    providerType: ExecutorProvider,
    address: described(Address, 'The address that sends its transactions'),
    state: oneOf(statesOf(bindingMachine), {
      description:
        '`next`: policies prepared now name it, and it is active once one is in force. ' +
        '`draining`: a policy in force names a newer one; what it has sent is settled first, ' +
        'and vaults whose policies still name it go on paying with it. `disabled`: retired',
    }),
    nativeBalanceWei: described(BaseUnits, 'What the address still holds for gas, in wei'),
    createdAt: CreatedAt,
  },
  { title: 'OtherExecutorBinding', 'x-extension': true },
)

export const ExecutorStatusSchema = Type.Object(
  {
    binding: nullable(Binding),
    provisioning: nullable(Provisioning),
    otherBindings: added(
      Type.Array(OtherBinding),
      'The executor that follows, and those that were in use before. Newest first',
    ),
  },
  { $id: 'ExecutorStatus' },
)

export const executorComponents = [ExecutorStatusSchema]
