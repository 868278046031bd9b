import { Tooltip as Base } from '@base-ui/react/tooltip'
import { type ReactElement, type ReactNode, useId, useState } from 'react'

/**
 * Shows on hover and focus, and where there is neither, on a tap. The text is also the description
 * of the element, for people who do not see it.
 */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement }) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <Base.Root open={isOpen} onOpenChange={setOpen}>
      <Base.Trigger
        render={children}
        delay={200}
        closeOnClick={false}
        onClick={() => setOpen(true)}
        aria-describedby={id}
      />
      <span id={id} className="sr-only">
        {text}
      </span>
      <Base.Portal>
        <Base.Positioner sideOffset={6} collisionPadding={16} className="z-50">
          <Base.Popup
            aria-hidden="true"
            className="max-w-72 rounded-md bg-text px-3 py-2 text-page text-sm shadow-raised"
          >
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
