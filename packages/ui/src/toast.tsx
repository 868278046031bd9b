import { Toast as Base } from '@base-ui/react/toast'
import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { showWith } from './say.ts'

const toasts = Base.createToastManager()

function List() {
  const { t } = useLingui()
  const { toasts: list } = Base.useToastManager()
  return list.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className="flex items-start gap-3 rounded-md border border-line bg-raised px-4 py-3 shadow-raised transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0"
    >
      <div className="min-w-0 flex-1">
        <Base.Title className="font-medium" />
        <Base.Description className="text-muted text-sm" />
      </div>
      <Base.Close aria-label={t`Close`} className="rounded-sm p-1 text-muted hover:bg-hover">
        <X className="size-4" aria-hidden="true" />
      </Base.Close>
    </Base.Root>
  ))
}

/** On a phone at the top: buttons, dialogs and the bar are at the bottom. */
export const ToastArea = () => {
  const { t } = useLingui()
  // What is added before the provider listens is lost, and it listens before this runs.
  useEffect(() => showWith((said) => void toasts.add(said)), [])
  return (
    <Base.Provider toastManager={toasts} timeout={6_000}>
      <Base.Portal>
        <Base.Viewport
          aria-label={t`Confirmations`}
          className="fixed end-4 z-50 flex w-[min(22rem,calc(100vw-2rem))] flex-col gap-2 max-lg:top-16 lg:bottom-4"
        >
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}
