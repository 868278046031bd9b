import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { SCREENS } from './navigation.ts'

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const G_FOLLOWS_WITHIN_MS = 1_500

/** `g` and a letter go to a screen. Nothing else has a key. */
export function useShortcuts(): void {
  const navigate = useNavigate()
  useEffect(() => {
    let pressedG = 0
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key === 'g') pressedG = event.timeStamp
      else if (event.timeStamp - pressedG < G_FOLLOWS_WITHIN_MS) {
        pressedG = 0
        const screen = SCREENS.find(({ key }) => key === event.key)
        if (screen) void navigate({ to: screen.to })
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
}
