import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type FormEvent, useEffect, useRef } from 'react'

/** Searches when the person says so, not while they type: every search is recorded. */
export function SearchBox() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      input.current?.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const q = input.current?.value.trim()
    void navigate({ to: '/organizations', search: q ? { q } : {} })
  }
  return (
    <search className="min-w-0 flex-1">
      <form onSubmit={submit} className="relative max-w-xl">
        <Search
          className="pointer-events-none absolute start-3 top-2.5 size-4 text-muted"
          aria-hidden="true"
        />
        <input
          ref={input}
          type="search"
          enterKeyHint="search"
          aria-label={t`Search organizations`}
          placeholder={t`Name, id, address or hash`}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          className="h-9 w-full rounded-md border border-control/70 bg-surface ps-9 pe-3 placeholder:text-muted"
        />
      </form>
    </search>
  )
}
