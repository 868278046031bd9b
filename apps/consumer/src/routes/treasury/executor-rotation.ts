/** Where the change from one executor to the next stands, and what a vault says of it. Pure. */
import type { DataOf } from '@countersign/client/operation-types.ts'

type Executor = DataOf<'getExecutor'>
export type OtherExecutor = Executor['otherBindings'][number]
type Vault = Pick<DataOf<'getVault'>, 'policy' | 'proposal'>

export type Rotation = {
  inUse: Executor['binding']
  /** Policies prepared now name it. */
  next: OtherExecutor | null
  /** Newest first: draining, or retired. */
  earlier: OtherExecutor[]
  /** Of the one that was asked for last. */
  making: 'under_way' | 'failed' | null
}

export function rotationOf({ binding, provisioning, otherBindings }: Executor): Rotation {
  const isMade = provisioning === null || provisioning.state === 'active'
  return {
    inUse: binding,
    next: otherBindings.find(({ state }) => state === 'next') ?? null,
    earlier: otherBindings.filter(({ state }) => state !== 'next'),
    making: isMade ? null : provisioning.state === 'failed' ? 'failed' : 'under_way',
  }
}

/**
 * How far a vault is with an executor. `named`: by the policy in force. `proposed`: by a policy
 * that waits. `other`: its policy names another one. `no_policy`: its first policy will name it.
 */
export type Naming = 'named' | 'proposed' | 'other' | 'no_policy'

export function namingOf({ policy, proposal }: Vault, executorAddress: string): Naming {
  const names = (one: { executorAddress: string } | null | undefined) =>
    one?.executorAddress.toLowerCase() === executorAddress.toLowerCase()
  if (names(policy)) return 'named'
  if (names(proposal?.policy)) return 'proposed'
  return policy ? 'other' : 'no_policy'
}

/** Why no further executor can be asked for, as the service would say. */
export type NoRotation = 'not_owner' | 'being_made' | 'next_unnamed' | 'unnamed'

export function whyNoRotation(
  { inUse, next, making }: Rotation,
  { isOwner, vaults }: { isOwner: boolean; vaults: readonly Vault[] },
): NoRotation | null {
  if (!isOwner) return 'not_owner'
  if (making !== null) return 'being_made'
  if (next) return 'next_unnamed'
  const isNamed = vaults.some((vault) => inUse && namingOf(vault, inUse.address) === 'named')
  return isNamed ? null : 'unnamed'
}
