import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { randomKey } from '@countersign/client/random-key.ts'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import {
  CATEGORIES_MAX,
  type CategoryProblem,
  type CategoryRow,
  moved,
  problemsOf,
  toCategories,
} from './category-rows.ts'
import { changedMeanwhile } from './changed-meanwhile.ts'

type Categories = DataOf<'listCategories'>['categories']

/** The list that people choose from when they submit an expense. */
export function CategoryEditor() {
  const { id: organizationId } = useOrganization()
  const categories = useRead('listCategories', { path: { organizationId } })
  return (
    <Section title={<Trans>Expense categories</Trans>}>
      <ReadView of={categories} lines={2}>
        {({ categories: saved }) => <Editor saved={saved} />}
      </ReadView>
    </Section>
  )
}

const withId = ({ code, name }: Categories[number]): CategoryRow => ({
  id: randomKey(),
  code,
  name,
})

function Editor({ saved }: { saved: Categories }) {
  const { t } = useLingui()
  const organization = useOrganization()
  const { id: organizationId } = organization
  const set = useAction('setCategories', ['listCategories'])
  const [rows, setRows] = useState<CategoryRow[]>(() => saved.map(withId))
  const [base, setBase] = useState(saved)
  const [sent, setSent] = useState<Categories | null>(null)
  const continueFrom = (list: Categories) => {
    setBase(list)
    setSent(null)
  }
  const takeOver = (list: Categories) => {
    continueFrom(list)
    setRows(list.map(withId))
  }
  const meanwhile = changedMeanwhile(saved, { rows, base, sent })
  if (meanwhile === 'own') continueFrom(saved)
  if (meanwhile === 'take') takeOver(saved)
  const isAsked = meanwhile === 'ask'
  const problems = problemsOf(rows)
  const isSame = JSON.stringify(toCategories(rows)) === JSON.stringify(saved)
  const reason = isOwnerOrManager(organization)
    ? undefined
    : t`Owners and managers manage the categories.`
  const texts: Record<CategoryProblem, string> = {
    code_missing: t`Enter a code, such as an account number.`,
    code_characters: t`Up to 40 letters, digits and signs, without spaces.`,
    code_repeated: t`Another category has this code.`,
    name_missing: t`Enter a name.`,
  }
  const change = (id: string, part: Partial<CategoryRow>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...part } : row)))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (problems.size > 0 || isAsked) return
    const categories = toCategories(rows)
    setSent(categories)
    const saving = await set.run({ path: { organizationId }, body: { categories } })
    if (saving.ok) say(t`Saved`)
  }
  if (reason) {
    return (
      <Card>
        {saved.length === 0 ? (
          <p className="text-muted">
            <Trans>There are none. Owners and managers can add them.</Trans>
          </p>
        ) : (
          <ul className="flex flex-col gap-1">
            {saved.map(({ code, name }) => (
              <li key={code} className="flex gap-3">
                <span className="figures w-24 shrink-0 truncate text-muted">{code}</span>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        )}
      </Card>
    )
  }
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {rows.length === 0 && (
          <p className="text-muted">
            <Trans>
              None yet. With categories, spending can be read by kind, and exports carry the codes
              of your accounting.
            </Trans>
          </p>
        )}
        <ul className="flex flex-col gap-3">
          {rows.map((row, index) => {
            const problem = problems.get(row.id)
            const label = row.name || row.code || String(index + 1)
            return (
              <li
                key={row.id}
                className="grid grid-cols-[1fr_auto] items-start gap-2 sm:grid-cols-[8rem_1fr_auto]"
              >
                <div className="max-sm:col-span-2">
                  <TextField
                    label={t`Code`}
                    isLabelHidden={index > 0}
                    value={row.code}
                    onChange={(event) => change(row.id, { code: event.target.value })}
                    problem={problem && problem !== 'name_missing' ? texts[problem] : undefined}
                    maxLength={40}
                    autoComplete="off"
                  />
                </div>
                <TextField
                  label={t`Name`}
                  isLabelHidden={index > 0}
                  value={row.name}
                  onChange={(event) => change(row.id, { name: event.target.value })}
                  problem={problem === 'name_missing' ? texts[problem] : undefined}
                  maxLength={100}
                  autoComplete="off"
                />
                <div className={index === 0 ? 'flex pt-7' : 'flex'}>
                  <Button
                    look="quiet"
                    size="icon"
                    aria-label={t`Move ${label} up`}
                    isDisabled={index === 0}
                    onClick={() => setRows(moved(rows, index, -1))}
                  >
                    <ArrowUp className="size-4" aria-hidden="true" />
                  </Button>
                  <Button
                    look="quiet"
                    size="icon"
                    aria-label={t`Move ${label} down`}
                    isDisabled={index === rows.length - 1}
                    onClick={() => setRows(moved(rows, index, 1))}
                  >
                    <ArrowDown className="size-4" aria-hidden="true" />
                  </Button>
                  <Button
                    look="quiet"
                    size="icon"
                    aria-label={t`Remove ${label}`}
                    onClick={() => setRows(rows.filter(({ id }) => id !== row.id))}
                  >
                    <Trash2 className="size-4" aria-hidden="true" />
                  </Button>
                </div>
              </li>
            )
          })}
        </ul>
        {isAsked && (
          <Notice
            tone="warn"
            isLive
            title={<Trans>Someone changed the categories meanwhile. Yours are still here.</Trans>}
            actions={
              <>
                <Button size="small" onClick={() => takeOver(saved)}>
                  <Trans>Take over the new ones</Trans>
                </Button>
                <Button size="small" look="quiet" onClick={() => continueFrom(saved)}>
                  <Trans>Keep mine</Trans>
                </Button>
              </>
            }
          >
            <Trans>If you keep yours and save them, they replace the new ones.</Trans>
          </Notice>
        )}
        {set.failure && <FailureNotice failure={set.failure} />}
        <div className="flex flex-wrap gap-2">
          <Button
            isDisabled={rows.length >= CATEGORIES_MAX}
            onClick={() => setRows([...rows, withId({ code: '', name: '' })])}
          >
            <Plus className="size-4" aria-hidden="true" />
            <Trans>Add a category</Trans>
          </Button>
          <Button
            type="submit"
            look="primary"
            isBusy={set.isBusy}
            isDisabled={isSame || problems.size > 0 || isAsked}
          >
            <Trans>Save the list</Trans>
          </Button>
        </div>
        <p className="text-muted text-sm">
          <Trans>Expenses keep the category that they were written with.</Trans>
        </p>
      </form>
    </Card>
  )
}
