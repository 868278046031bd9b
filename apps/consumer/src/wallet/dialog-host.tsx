import { createContext, type ReactNode, use, useMemo, useState } from 'react'

type Host = { show(dialog: ReactNode): void; close(): void }

const HostContext = createContext<Host | null>(null)

/**
 * Keeps a dialog open while what it was opened from goes away: a warning ends as soon as the chain
 * has the transaction, and the person still wants to read that it worked.
 */
export function DialogHost({ children }: { children: ReactNode }) {
  const [dialog, setDialog] = useState<ReactNode>(null)
  const host = useMemo<Host>(
    () => ({ show: (next) => setDialog(next), close: () => setDialog(null) }),
    [],
  )
  return (
    <HostContext value={host}>
      {children}
      {dialog}
    </HostContext>
  )
}

export function useDialogHost(): Host {
  const host = use(HostContext)
  if (!host) throw new Error('There is no DialogHost above.')
  return host
}
