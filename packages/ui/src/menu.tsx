import { lazy, type ReactElement, type ReactNode, Suspense } from 'react'

export type MenuItem = {
  label: ReactNode
  onSelect(): void
  icon?: ReactNode
  /** Why it cannot be done now. */
  reason?: string
  isDangerous?: boolean
}

export type MenuProps = { trigger: ReactElement; items: readonly MenuItem[] }

/** Fetched after the first screen, which shows the button only. */
const OpenMenu = lazy(async () => ({ default: (await import('./open-menu.tsx')).OpenMenu }))

export const Menu = (props: MenuProps) => (
  <Suspense fallback={props.trigger}>
    <OpenMenu {...props} />
  </Suspense>
)
