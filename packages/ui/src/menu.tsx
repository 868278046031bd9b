import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import { afterFirstScreen, loadNow } from './after-first-screen.ts'

export type MenuItem = {
  label: ReactNode
  onSelect(): void
  icon?: ReactNode
  /** Why it cannot be done now. */
  reason?: string
  isDangerous?: boolean
}

export type MenuProps = { trigger: ReactElement<{ onClick?(): void }>; items: readonly MenuItem[] }

/** Fetched after the first screen, which shows the button only. */
const OpenMenu = lazy(async () => {
  await afterFirstScreen()
  return { default: (await import('./open-menu.tsx')).OpenMenu }
})

/** Whoever presses the button before that gets the menu once it is there. */
export function Menu(props: MenuProps) {
  const [isWanted, setWanted] = useState(false)
  const onClick = () => {
    setWanted(true)
    loadNow()
  }
  return (
    <Suspense fallback={cloneElement(props.trigger, { onClick })}>
      <OpenMenu {...props} isOpenAtFirst={isWanted} />
    </Suspense>
  )
}
