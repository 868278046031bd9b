import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { TellSupport } from '../../shell/tell-support.tsx'
import { CheckList } from './check-list.tsx'
import { type Check, reportOf } from './checks.ts'
import { useFocusHere } from './use-focus-here.ts'

type Props = {
  expenseId: string
  checks: readonly Check[]
  onReadAgain(): void
}

/** A check failed. There is no button that signs, and no way around it. */
export function RefusedView({ expenseId, checks, onReadAgain }: Props) {
  const { t } = useLingui()
  const here = useFocusHere()
  const failed = checks.filter(({ holds }) => !holds)
  return (
    <div className="flex flex-col gap-4">
      <div ref={here} tabIndex={-1} className="outline-none">
        <Notice tone="bad" isLive title={<Trans>Do not sign this</Trans>}>
          <Trans>
            What you would sign is not what you were shown, or not what the chain says. Nothing was
            signed. Do not sign this expense anywhere else either, and contact support.
          </Trans>
        </Notice>
      </div>
      <TellSupport
        subject={t`A check before signing failed`}
        details={reportOf(failed)}
        expenseId={expenseId}
      />
      <CheckList checks={checks} />
      <div>
        <Button onClick={onReadAgain}>
          <Trans>Reload everything</Trans>
        </Button>
      </div>
    </div>
  )
}
