import { useEffect, useState } from 'react'
import { type CheckedLinks, checkLinks } from './links.ts'

/** Null while it is computed. */
export function useCheckedLinks(evidence: unknown): CheckedLinks | null {
  const [checked, setChecked] = useState<CheckedLinks | null>(null)
  useEffect(() => {
    let isLatest = true
    setChecked(null)
    void checkLinks(evidence).then((result) => isLatest && setChecked(result))
    return () => {
      isLatest = false
    }
  }, [evidence])
  return checked
}
