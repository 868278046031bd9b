import type { Failure } from '@countersign/client/errors.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { FailureNotice } from './failure-notice.tsx'

type Props = {
  onClose(): void
  title: ReactNode
  /** What happens then, and what does not come back. */
  children: ReactNode
  /** The verb on the button. */
  confirm: ReactNode
  onConfirm(): void
  isBusy: boolean
  isDangerous?: boolean
  isDisabled?: boolean
  failure?: Failure | null
}

/** Asks once more, and shows what the service said if it refused. */
export function ConfirmDialog({
  onClose,
  title,
  children,
  confirm,
  onConfirm,
  isBusy,
  isDangerous = false,
  isDisabled = false,
  failure,
}: Props) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            look={isDangerous ? 'danger' : 'primary'}
            isBusy={isBusy}
            isDisabled={isDisabled}
            onClick={onConfirm}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {children}
        {failure && <FailureNotice failure={failure} />}
      </div>
    </Dialog>
  )
}
