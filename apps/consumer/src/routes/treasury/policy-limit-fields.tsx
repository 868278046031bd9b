import { periodOf } from '@countersign/proof/spending-period.ts'
import { Button } from '@countersign/ui/button.tsx'
import { durationWords } from '@countersign/ui/duration.ts'
import { SelectField, TextField } from '@countersign/ui/field.tsx'
import { Moment, useNow } from '@countersign/ui/moment.tsx'
import { Money, TokenContext } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type ReactNode, use } from 'react'
import { useFieldNames, useFieldProblemText } from './policy-field-words.ts'
import type { FormProblems, PeriodCap, PolicyForm, PolicyTerms, TierForm } from './policy-terms.ts'

type Props = {
  form: PolicyForm
  problems: FormProblems
  inForce: PolicyTerms | null
  approverPeople: number
  onChange(part: Partial<PolicyForm>): void
}

const LENGTHS = [3_600, 86_400, 604_800, 2_592_000]
const TIERS_MAX = 4
const APPROVALS_MIN = 2
const APPROVALS_MAX = 8

const Frame = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-col gap-4 rounded-md border border-line px-4 py-3">{children}</div>
)

/** How much may leave in a period, whoever signs it. */
export function PeriodFields({ form, problems, inForce, onChange }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const names = useFieldNames()
  const text = useFieldProblemText()
  const { symbol } = use(TokenContext)
  const { periodSeconds } = form
  // A length that another tool has chosen stays as it is.
  const lengths = [...new Set([...LENGTHS, ...[inForce?.periodSeconds ?? []].flat()])].sort(
    (a, b) => a - b,
  )
  const cap = (name: PeriodCap, hint: string) => {
    const problem = problems[name]
    const now = inForce?.[name]
    return (
      <TextField
        label={names[name]}
        inputMode="decimal"
        autoComplete="off"
        suffix={symbol}
        value={form[name]}
        hint={hint}
        problem={problem && text(problem)}
        note={
          now && (
            <Trans>
              now <Money baseUnits={now} isBare />
            </Trans>
          )
        }
        onChange={(event) => onChange({ [name]: event.target.value })}
      />
    )
  }
  return (
    <Frame>
      <SelectField
        label={names.periodSeconds}
        value={periodSeconds ?? ''}
        options={[
          { value: '', label: t`No period` },
          ...lengths.map((seconds) => ({
            value: String(seconds),
            label: durationWords(seconds, region),
          })),
        ]}
        hint={
          periodSeconds === null ? (
            t`Without one, all that the other caps allow can leave within minutes.`
          ) : (
            <PeriodEnd seconds={periodSeconds} />
          )
        }
        onChange={({ target: { value } }) =>
          onChange({ periodSeconds: value === '' ? null : Number(value) })
        }
      />
      {periodSeconds !== null && (
        <>
          {cap('periodCap', t`The most that leaves in one period, with and without signatures.`)}
          {cap(
            'automaticPeriodCap',
            form.automaticEnabled
              ? t`The part of it that may leave without a signature.`
              : t`Has no effect while automatic payments are off.`,
          )}
        </>
      )}
    </Frame>
  )
}

function PeriodEnd({ seconds }: { seconds: number }) {
  const now = useNow()
  const { endsAt } = periodOf(Math.floor(now.getTime() / 1000), seconds)
  const at = new Date(endsAt * 1000).toISOString()
  return (
    <Trans>
      Periods begin at fixed times. The current one ends <Moment at={at} style="full" />.
    </Trans>
  )
}

/** How many people must sign large payments. */
export function TierFields({ form, problems, approverPeople, onChange }: Props) {
  const { t } = useLingui()
  const { tiers } = form
  const change = (place: number, part: Partial<TierForm>) =>
    onChange({
      tiers: tiers.map((tier, index) => (index === place ? { ...tier, ...part } : tier)),
    })
  const last = tiers.at(-1)
  const most = Math.min(APPROVALS_MAX, approverPeople)
  const next = last ? Number(last.approvals) + 1 : APPROVALS_MIN
  const reason =
    approverPeople < APPROVALS_MIN
      ? t`It takes two people with approver wallets. There are not that many.`
      : next > most
        ? t`Nobody signs twice, and there are no more people with approver wallets.`
        : tiers.length >= TIERS_MAX
          ? t`A policy has at most four of these.`
          : undefined
  return (
    <Frame>
      <div>
        <p className="font-medium text-sm">
          <Trans>Several signatures</Trans>
        </p>
        <p className="text-muted text-sm">
          <Trans>
            One approver is enough for every amount that is not named here. Nobody signs twice.
          </Trans>
        </p>
      </div>
      {tiers.map((tier, place) => (
        <TierRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a tier is known by its place
          key={place}
          place={place}
          tier={tier}
          most={most}
          problems={problems.tiers?.[place] ?? {}}
          onChange={(part) => change(place, part)}
          onRemove={() => onChange({ tiers: tiers.filter((_, index) => index !== place) })}
        />
      ))}
      <div>
        <Button
          size="small"
          reason={reason}
          onClick={() => onChange({ tiers: [...tiers, { above: '', approvals: String(next) }] })}
        >
          <Plus className="size-4" aria-hidden="true" />
          <Trans>Ask for more signatures</Trans>
        </Button>
      </div>
    </Frame>
  )
}

type RowProps = {
  place: number
  tier: TierForm
  most: number
  problems: NonNullable<FormProblems['tiers']>[number]
  onChange(part: Partial<TierForm>): void
  onRemove(): void
}

function TierRow({ place, tier, most, problems, onChange, onRemove }: RowProps) {
  const { t } = useLingui()
  const text = useFieldProblemText()
  const { symbol } = use(TokenContext)
  const highest = Math.max(most, Number(tier.approvals))
  const counts = Array.from({ length: highest - 1 }, (_, index) => String(index + APPROVALS_MIN))
  const number = place + 1
  return (
    <fieldset className="grid grid-cols-[1fr_auto] items-start gap-x-2 gap-y-3 sm:grid-cols-[1fr_9rem_auto]">
      <legend className="sr-only">
        <Trans>Line {number}</Trans>
      </legend>
      <TextField
        label={t`Above`}
        inputMode="decimal"
        autoComplete="off"
        suffix={symbol}
        value={tier.above}
        problem={problems.above && text(problems.above)}
        onChange={(event) => onChange({ above: event.target.value })}
      />
      <div className="max-sm:order-last max-sm:col-span-2">
        <SelectField
          label={t`Approvers`}
          value={tier.approvals}
          options={counts.map((value) => ({ value, label: value }))}
          problem={problems.approvals && text(problems.approvals)}
          onChange={(event) => onChange({ approvals: event.target.value })}
        />
      </div>
      <div className="pt-6.5">
        <Button look="quiet" size="icon" aria-label={t`Remove line ${number}`} onClick={onRemove}>
          <X className="size-4" aria-hidden="true" />
        </Button>
      </div>
    </fieldset>
  )
}
