/** Who the policies on chain list, over all vaults that can pay. */

import { reading, useRead } from '@countersign/app-kit/data/queries.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'

export type PolicyLists = {
  vaultId: string
  vaultLabel: string
  /** Addresses in lower case. Null without a policy. */
  recipients: ReadonlySet<string> | null
  approvers: ReadonlySet<string> | null
  /** Listed, but only paid from a time on; by address in lower case. */
  pending: ReadonlyMap<string, string>
  blocked: ReadonlySet<string>
  vault: DataOf<'getVault'>
  /** Listed on chain, but no longer with the approver role here. */
  extraApprovers: readonly string[]
}

const lowered = (addresses: readonly string[]): Set<string> =>
  new Set(addresses.map((address) => address.toLowerCase()))

/** Undefined while it is being read. */
export function usePolicyLists(organizationId: string): readonly PolicyLists[] | undefined {
  const vaults = useRead('listVaults', { path: { organizationId } })
  const usable = (vaults.data?.vaults ?? []).filter(
    ({ status, archivedAt }) => status === 'verified' && archivedAt === null,
  )
  const read = useQueries({
    queries: usable.map(({ id }) => reading('getVault', { path: { organizationId, vaultId: id } })),
  })
  const isRead = vaults.isSuccess && read.every(({ data }) => data !== undefined)
  const stamp = read.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp stands for the answers
  return useMemo(() => {
    if (!isRead) return undefined
    return read.flatMap(({ data }) =>
      data
        ? [
            {
              vaultId: data.id,
              vaultLabel: data.label,
              recipients: data.policy && lowered(data.policy.recipientAddresses),
              approvers: data.policy && lowered(data.policy.approverAddresses),
              pending: new Map(
                data.pendingRecipients.map(({ address, allowedFrom }) => [
                  address.toLowerCase(),
                  allowedFrom,
                ]),
              ),
              blocked: lowered(data.blockedRecipientAddresses),
              vault: data,
              extraApprovers: data.differences?.extraApprovers ?? [],
            },
          ]
        : [],
    )
  }, [isRead, stamp])
}
