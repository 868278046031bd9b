/** The executor as the API returns it. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Binding, Provisioning } from './executor.store.ts'

export type ExecutorStatus = {
  binding:
    | (Omit<Binding, 'state' | 'nativeBalanceWei' | 'balanceReadAt' | 'paysOwnGas'> & {
        status: 'active'
        nativeBalanceWei: string
      })
    | null
  provisioning: Omit<Provisioning, 'organizationId'> | null
  otherBindings: (Pick<Binding, 'id' | 'address' | 'state' | 'providerType' | 'createdAt'> & {
    nativeBalanceWei: string
  })[]
}

function toBinding({
  state: _state,
  balanceReadAt: _readAt,
  paysOwnGas: _paysGas,
  ...binding
}: Binding) {
  return {
    ...binding,
    status: 'active' as const,
    address: checksummed(binding.address),
    nativeBalanceWei: binding.nativeBalanceWei.toString(),
  }
}

const toOther = ({ id, address, state, providerType, nativeBalanceWei, createdAt }: Binding) => ({
  id,
  providerType,
  address: checksummed(address),
  state,
  nativeBalanceWei: nativeBalanceWei.toString(),
  createdAt,
})

const toProvisioning = ({ organizationId: _organization, ...progress }: Provisioning) => progress

export const toExecutorStatus = (
  bindings: readonly Binding[],
  provisioning: Provisioning | undefined,
): ExecutorStatus => {
  const active = bindings.find(({ state }) => state === 'active')
  return {
    binding: active ? toBinding(active) : null,
    provisioning: provisioning ? toProvisioning(provisioning) : null,
    otherBindings: bindings.filter((binding) => binding !== active).map(toOther),
  }
}
