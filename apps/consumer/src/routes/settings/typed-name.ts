/** The name in a form, while the saved one may change. */
import { useState } from 'react'

/**
 * `base` is the saved name that the field began with. What was typed is kept. A field that nobody
 * touched, or whose text was saved, follows.
 */
export const nameAfterChange = (
  saved: string,
  { name, base }: { name: string; base: string },
): string => (name === base || name.trim() === saved ? saved : name)

export function useTypedName(saved: string): [string, (name: string) => void] {
  const [name, setName] = useState(saved)
  const [base, setBase] = useState(saved)
  if (saved !== base) {
    setBase(saved)
    setName(nameAfterChange(saved, { name, base }))
  }
  return [name, setName]
}
