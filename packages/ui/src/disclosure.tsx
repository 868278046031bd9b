import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

type Props = { title: ReactNode; isOpen?: boolean; children: ReactNode }

/** Something for those who want to look closer. The browser's own: it works without script. */
export const Disclosure = ({ title, isOpen = false, children }: Props) => (
  <details open={isOpen} className="group border-line border-t first:border-t-0">
    <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 py-2 font-medium [&::-webkit-details-marker]:hidden">
      <ChevronRight
        className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        aria-hidden="true"
      />
      <span className="min-w-0">{title}</span>
    </summary>
    <div className="ps-6 pb-4">{children}</div>
  </details>
)
