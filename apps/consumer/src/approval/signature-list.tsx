import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Trans } from '@lingui/react/macro'
import { usePeople } from '../data/people.ts'

type Given = {
  approvalId: string
  accountId: string
  displayName: string | null
  approverAddress: string
  signedAt: string | null
}

/** Who has signed, with which wallet, and when. */
export function SignatureList({ signed }: { signed: readonly Given[] }) {
  const { nameOf } = usePeople()
  return (
    <ul className="flex flex-col gap-2">
      {signed.map(({ approvalId, accountId, displayName, approverAddress, signedAt }) => (
        <li key={approvalId}>
          <Address address={approverAddress} name={nameOf(accountId, displayName)} />
          {signedAt && (
            <p className="text-muted text-sm">
              <Trans>
                signed on <Moment at={signedAt} style="full" />
              </Trans>
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
