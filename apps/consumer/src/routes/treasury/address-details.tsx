import { Address } from '@countersign/ui/address.tsx'
import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useExplorer } from '../../data/explorer.ts'

type ListProps = {
  addresses: readonly string[]
  names: ReadonlyMap<string, string>
}

/** Whole addresses with their names. */
export function AddressList({ addresses, names }: ListProps) {
  const explorer = useExplorer()
  return (
    <ul className="flex flex-col gap-3">
      {addresses.map((address) => (
        <li key={address}>
          <Address
            address={address}
            name={names.get(address.toLowerCase())}
            explorerUrl={explorer.address(address)}
          />
        </li>
      ))}
    </ul>
  )
}

/** A count that opens to the list. */
export function AddressDetails({ summary, ...list }: ListProps & { summary: ReactNode }) {
  if (list.addresses.length === 0) {
    return (
      <span className="text-muted">
        <Trans>none</Trans>
      </span>
    )
  }
  return (
    <details>
      <summary className="cursor-pointer">{summary}</summary>
      <div className="mt-2">
        <AddressList {...list} />
      </div>
    </details>
  )
}
