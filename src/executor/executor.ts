/** The executor as the API returns it. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Binding, Provisioning } from './executor.store.ts'

export type ExecutorStatus = {
  binding:
    | (Omit<Binding, 'nativeBalanceWei' | 'balanceReadAt' | 'paysOwnGas'> & {
        nativeBalanceWei: string
      })
    | null
  provisioning: Omit<Provisioning, 'organizationId'> | null
}

function toBinding({ balanceReadAt: _readAt, paysOwnGas: _paysGas, ...binding }: Binding) {
  return {
    ...binding,
    address: checksummed(binding.address),
    nativeBalanceWei: binding.nativeBalanceWei.toString(),
  }
}

const toProvisioning = ({ organizationId: _organization, ...progress }: Provisioning) => progress

export const toExecutorStatus = (
  binding: Binding | undefined,
  provisioning: Provisioning | undefined,
): ExecutorStatus => ({
  binding: binding ? toBinding(binding) : null,
  provisioning: provisioning ? toProvisioning(provisioning) : null,
})
