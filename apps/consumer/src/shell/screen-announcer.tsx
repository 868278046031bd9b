import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

/** Long enough for a screen to have its heading, from which the title is taken. */
const SETTLED_MS = 300

/** Tells people who do not see the screen change that it did, as a page load would. */
export function ScreenAnnouncer() {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const first = useRef<string>(undefined)
  const [text, setText] = useState('')
  useEffect(() => {
    // A browser reads out the first screen itself.
    first.current ??= path
    if (path === first.current) return
    first.current = ''
    const timer = setTimeout(() => setText(document.title), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [path])
  return (
    <p aria-live="polite" className="sr-only">
      <bdi>{text}</bdi>
    </p>
  )
}
