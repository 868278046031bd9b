import { Skeleton } from '@countersign/ui/page.tsx'
import { type ComponentProps, lazy, Suspense } from 'react'
import type { ExportCeremony } from './export-ceremony.tsx'
import { loadSealing } from './load-sealing.ts'

/** Loaded with all that it needs until its end: a key is handed over once. */
const Ceremony = lazy(async () => {
  const [page] = await Promise.all([import('./export-ceremony.tsx'), loadSealing()])
  return { default: page.ExportCeremony }
})

export const LazyCeremony = (props: ComponentProps<typeof ExportCeremony>) => (
  <Suspense fallback={<Skeleton lines={5} />}>
    <Ceremony {...props} />
  </Suspense>
)
