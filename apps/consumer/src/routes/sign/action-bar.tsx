import type { ReactNode } from 'react'

/** The decision stays under the thumb, above the bar of the phone. */
export const ActionBar = ({ children }: { children: ReactNode }) => (
  <div className="sticky bottom-14 z-10 -mx-4 flex items-center justify-between gap-2 sm:justify-end border-line border-t bg-page/95 px-4 py-3 backdrop-blur sm:-mx-6 sm:px-6 lg:bottom-0">
    {children}
  </div>
)
