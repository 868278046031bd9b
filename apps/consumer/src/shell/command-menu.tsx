import { failureOf } from '@countersign/app-kit/data/api.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from 'react'
import { useOrganization } from '../data/organization.tsx'
import { screensFor } from './navigation.ts'
import { searchEnd } from './search-end.ts'

type Command = { id: string; text: string; detail?: string; icon?: ReactNode; run(): void }

const EXPENSES_MAX = 8
const SEARCH_FROM_LENGTH = 2

/** Goes anywhere, and finds expenses by their words. */
export function CommandMenu({ onClose }: { onClose(): void }) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const { id: organizationId, role } = useOrganization()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const words = useDeferredValue(typed.trim())
  const found = useRead(
    'listExpenses',
    { path: { organizationId }, query: { q: words, limit: EXPENSES_MAX } },
    { isEnabled: words.length >= SEARCH_FROM_LENGTH },
  )
  const params = { organizationId }
  const go = (run: () => void) => () => {
    onClose()
    run()
  }
  const screens: Command[] = [
    {
      id: 'new',
      text: t`New expense`,
      run: go(() => void navigate({ to: '/organizations/$organizationId/expenses/new', params })),
    },
    ...screensFor(role).map(({ to, name, icon: Icon }) => ({
      id: to,
      text: i18n._(name),
      icon: <Icon className="size-4" aria-hidden="true" />,
      run: go(() => void navigate({ to, params })),
    })),
    { id: 'wallets', text: t`Wallets`, run: go(() => void navigate({ to: '/wallets' })) },
    {
      id: 'notifications',
      text: t`Notifications`,
      run: go(() => void navigate({ to: '/notifications' })),
    },
    { id: 'settings', text: t`Your settings`, run: go(() => void navigate({ to: '/settings' })) },
  ]
  const matching = screens.filter(({ text }) =>
    text.toLowerCase().includes(typed.trim().toLowerCase()),
  )
  const expenses: Command[] = (
    words.length >= SEARCH_FROM_LENGTH ? (found.data?.expenses ?? []) : []
  ).map((expense) => ({
    id: expense.id,
    text: expense.revision.purpose,
    run: go(
      () =>
        void navigate({
          to: '/organizations/$organizationId/expenses/$expenseId',
          params: { organizationId, expenseId: expense.id },
        }),
    ),
  }))
  const commands = [...matching, ...expenses]
  const failure = failureOf(found.error)
  const end = searchEnd({
    isSearched: words.length >= SEARCH_FROM_LENGTH,
    isFetching: found.isFetching,
    hasFailed: failure !== null,
    count: commands.length,
  })
  const current = Math.min(at, commands.length - 1)
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((current + step + commands.length) % Math.max(1, commands.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      commands[current]?.run()
    }
  }
  return (
    <Dialog isOpen onClose={onClose} title={t`Search and commands`}>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={commands[current] ? `${listId}-${current}` : undefined}
        aria-label={t`Search and commands`}
        placeholder={t`Search screens and expenses`}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
        className="h-11 w-full rounded-md border border-control/70 bg-surface px-3"
      />
      <div id={listId} role="listbox" aria-label={t`Results`} className="mt-2">
        {commands.map((command, index) => (
          <div
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={command.run}
            onKeyDown={undefined}
            onPointerMove={() => setAt(index)}
            className="flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 aria-selected:bg-hover"
          >
            {command.icon && <span className="text-muted">{command.icon}</span>}
            <bdi className="truncate">{command.text}</bdi>
          </div>
        ))}
      </div>
      {end === 'failed' && failure && (
        <div className="mt-2">
          <FailureNotice failure={failure} onRetry={() => void found.refetch()} />
        </div>
      )}
      {(end === 'searching' || end === 'no_matches') && (
        <p role="status" className="px-3 py-6 text-center text-muted">
          {end === 'searching' ? t`Searching …` : t`No matches.`}
        </p>
      )}
    </Dialog>
  )
}
