import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { Failure } from '@countersign/client/errors.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Trans } from '@lingui/react/macro'
import { type ReactNode, useId } from 'react'

type Props = {
  title: ReactNode
  description?: ReactNode
  /** What the main button says. */
  action: ReactNode
  isReady: boolean
  isBusy: boolean
  failure?: Failure | null | undefined
  onSubmit(): Promise<unknown>
  onClose(): void
  /** The fields. */
  children: ReactNode
}

/** A few fields and one thing that is done with them. It stays open until that has succeeded. */
export function FormDialog({
  title,
  description,
  action,
  isReady,
  isBusy,
  failure,
  onSubmit,
  onClose,
  children,
}: Props) {
  const formId = useId()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" form={formId} look="primary" isBusy={isBusy} isDisabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault()
          // Enter in a field sends a form whose button is off.
          if (isReady && !isBusy) void onSubmit()
        }}
        className="flex flex-col gap-4"
      >
        {children}
        {failure && <FailureNotice failure={failure} />}
      </form>
    </Dialog>
  )
}
