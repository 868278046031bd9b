import { Dialog as Base } from '@base-ui/react/dialog'
import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'

type Props = {
  isOpen: boolean
  onClose(): void
  title: ReactNode
  description?: ReactNode
  children: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
  firstFocus?: RefObject<HTMLElement | null>
}

/**
 * What the dialog is about, rather than the cross that closes it. On a phone the keyboard would
 * cover the dialog as soon as it opens.
 */
function firstControl(popup: HTMLElement | null): HTMLElement | null {
  if (matchMedia('(pointer: coarse)').matches) return popup
  const find = (what: string) => popup?.querySelector<HTMLElement>(`:is(${what}):not(:disabled)`)
  const first = find('input, select, textarea') ?? find('a[href], button:not([data-close])')
  return first?.closest('fieldset')?.querySelector<HTMLElement>(':checked') ?? first ?? null
}

/** A sheet at the bottom of a phone, a window elsewhere. */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  actions,
  firstFocus,
}: Props) {
  const { t } = useLingui()
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
        <Base.Popup
          ref={popup}
          initialFocus={firstFocus ?? (() => firstControl(popup.current))}
          className="fixed inset-x-0 bottom-0 z-40 flex max-h-[92dvh] flex-col rounded-t-lg bg-raised shadow-raised transition-[opacity,transform] data-[ending-style]:opacity-0 data-[starting-style]:opacity-0 sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[min(34rem,calc(100vw-3rem))] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg"
        >
          <div className="flex items-start justify-between gap-4 px-5 pt-5">
            <div>
              <Base.Title className="font-semibold text-lg">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-1 text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              data-close
              aria-label={t`Close`}
              className="-me-2 -mt-1 rounded-md p-2 text-muted hover:bg-hover"
            >
              <X className="size-5" aria-hidden="true" />
            </Base.Close>
          </div>
          <div className="overflow-y-auto px-5 py-4">{children}</div>
          {actions && (
            <div className="flex flex-wrap justify-end gap-2 border-line border-t px-5 py-3">
              {actions}
            </div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
