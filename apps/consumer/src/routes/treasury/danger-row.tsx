import type { ReactNode } from 'react'

type Props = { title: ReactNode; text: ReactNode; children: ReactNode }

export const DangerRow = ({ title, text, children }: Props) => (
  <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-4 py-4 sm:px-5">
    <div className="min-w-0 flex-1 basis-64">
      <h3 className="font-medium">{title}</h3>
      <p className="text-pretty text-muted text-sm">{text}</p>
    </div>
    {children}
  </li>
)
