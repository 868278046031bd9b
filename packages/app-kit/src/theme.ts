/** Light, dark, or as the system says. */
export type Scheme = 'system' | 'light' | 'dark'

const KEPT_AS = 'countersign.scheme'

export function keptScheme(): Scheme {
  const kept = localStorage.getItem(KEPT_AS)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function applyScheme(scheme: Scheme): void {
  const { dataset } = document.documentElement
  if (scheme === 'system') delete dataset.scheme
  else dataset.scheme = scheme
}

export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(KEPT_AS, scheme)
  applyScheme(scheme)
}
