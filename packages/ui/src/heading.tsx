import { type ReactNode, useEffect, useRef } from 'react'
import { classes } from './classes.ts'

type Props = {
  children: ReactNode
  look?: 'page' | 'part'
  /** A heading beside the main one does not name the tab. */
  isAside?: boolean
}

/** The heading of a page. It names the browser's tab, and takes the focus after a navigation. */
export function Heading({ children, look = 'page', isAside = false }: Props) {
  const place = useRef<HTMLHeadingElement>(null)
  // After every render: the text can come later, with what is read.
  useEffect(() => {
    if (!isAside) document.title = `${place.current?.textContent} – Countersign`
  })
  return (
    <h1
      ref={place}
      tabIndex={-1}
      className={classes(
        'break-words font-semibold tracking-tight outline-none',
        look === 'page' ? 'text-2xl' : 'whitespace-pre-line text-balance text-xl',
      )}
    >
      {children}
    </h1>
  )
}
