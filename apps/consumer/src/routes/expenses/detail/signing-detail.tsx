import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Trans } from '@lingui/react/macro'
import { isShared, type Signatures } from '../../../approval/signatures.ts'
import { usePeople } from '../../../data/people.ts'

/** How many have signed, until when the rest must, and who is about to. */
export function SigningDetail({ signatures }: { signatures: Signatures }) {
  const { mentionOf } = usePeople()
  const { required, signed, open } = signatures
  const [first] = [...signed, ...open]
  return (
    <>
      {isShared({ required }) && (
        <p>
          <SignatureCount signed={signed.length} required={required} />
          {first && (
            <>
              {' · '}
              <Trans>
                all of them by <Moment at={first.deadline} style="full" />
              </Trans>
            </>
          )}
        </p>
      )}
      {open.map(({ approvalId, accountId, displayName, deadline }) => (
        <p key={approvalId}>
          <Trans>
            <bdi>{mentionOf(accountId, displayName)}</bdi> has it open to sign, until{' '}
            <Moment at={deadline} style="full" />
          </Trans>
        </p>
      ))}
    </>
  )
}
