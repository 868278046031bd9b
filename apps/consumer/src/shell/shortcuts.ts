/** One table of keys: it feeds the keyboard, the command menu and the sheet behind `?`. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { useOrganization } from '../data/organization.tsx'
import { isForPage, isOverlayOpen } from './key-target.ts'
import { screensFor } from './navigation.ts'

/** As the keyboard of this device names it. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'

export type Overlay = 'menu' | 'shortcuts'

let open: Overlay | null = null
const listeners = new Set<() => void>()

export function openOverlay(overlay: Overlay | null): void {
  open = overlay
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const G_FOLLOWS_WITHIN_MS = 1_500

/** Keys move and open. Nothing financial has a key. */
export function useShortcuts(): { overlay: Overlay | null; close(): void } {
  const overlay = useSyncExternalStore(subscribe, () => open)
  const navigate = useNavigate()
  const { id: organizationId, role } = useOrganization()

  useEffect(() => {
    let pressedG = 0
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        if (open || !isOverlayOpen()) openOverlay('menu')
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || open) return
      if (!isForPage(event.target)) return
      const params = { organizationId }
      if (event.key === '?') openOverlay('shortcuts')
      else if (event.key === 'c') {
        event.preventDefault()
        void navigate({ to: '/organizations/$organizationId/expenses/new', params })
      } else if (event.key === 'g') pressedG = event.timeStamp
      else if (event.timeStamp - pressedG < G_FOLLOWS_WITHIN_MS) {
        pressedG = 0
        const screen = screensFor(role).find(({ key }) => key === event.key)
        if (screen) void navigate({ to: screen.to, params })
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, organizationId, role])

  return { overlay, close: () => openOverlay(null) }
}
