import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'

const route = getRouteApi('/signed-in/trail')

const FIELDS = ['action', 'actor', 'about', 'from', 'to'] as const

/** Applied by the button, because every read of the trail is recorded in it. */
export function TrailFilters() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const search = route.useSearch()
  const labels = {
    action: t`Action`,
    actor: t`Account`,
    about: t`Id of the thing`,
    from: t`From (UTC)`,
    to: t`Until (UTC)`,
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const entries = FIELDS.map((name) => [name, String(form.get(name) ?? '').trim()] as const)
    void navigate({
      to: '/trail',
      search: Object.fromEntries(entries.filter(([, value]) => value !== '')),
    })
  }
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <details className="mb-4" open={isFiltered || undefined}>
      <summary className="press inline-flex h-9 cursor-pointer items-center rounded-md px-3 text-accent text-sm hover:bg-hover">
        <Trans>Filter</Trans>
      </summary>
      <form
        key={JSON.stringify(search)}
        onSubmit={submit}
        className="mt-2 grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-5"
      >
        {FIELDS.map((name) => (
          <TextField
            key={name}
            name={name}
            type={name === 'from' || name === 'to' ? 'date' : 'text'}
            label={labels[name]}
            placeholder={name === 'action' ? 'operator.read' : undefined}
            defaultValue={search[name] ?? ''}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="small" look="primary">
            <Trans>Apply</Trans>
          </Button>
          {isFiltered && (
            <Button
              size="small"
              look="quiet"
              onClick={() => void navigate({ to: '/trail', search: {} })}
            >
              <Trans>Show everything</Trans>
            </Button>
          )}
        </div>
      </form>
    </details>
  )
}
