import { useRead } from '@countersign/app-kit/data/queries.ts'
import { parseAmount } from '@countersign/ui/amounts.ts'
import { useRegion } from '@countersign/ui/use-region.ts'
import { useRef, useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { Recipient } from '../expense-types.ts'
import { automaticOff } from './limits.ts'
import type { useDraft } from './use-draft.ts'
import { useUploads } from './use-uploads.ts'
import { checkValues, type Problems, type Terms } from './values.ts'

export type UsableVault = { id: string; label: string; isDefault: boolean }

type About = {
  draft: ReturnType<typeof useDraft>
  recipients: readonly Recipient[]
  vaults: readonly UsableVault[]
}

/** What the new form and the revision have in common. */
export function useExpenseForm({ draft, recipients, vaults }: About) {
  const region = useRegion()
  const { id: organizationId, config } = useOrganization()
  const [problems, setProblems] = useState<Problems>({})
  const form = useRef<HTMLFormElement>(null)
  const fallback = (vaults.find(({ isDefault }) => isDefault) ?? vaults[0])?.id ?? null
  const vaultId = draft.values.vaultId ?? fallback
  const vault = useRead(
    'getVault',
    { path: { organizationId, vaultId: vaultId ?? '' } },
    { isEnabled: vaultId !== null },
  ).data
  const units = { decimals: config.token.decimals, locale: region }
  const amount = parseAmount(draft.values.amount, units.decimals, units.locale)
  const isAutomaticOff = automaticOff(amount.ok ? amount.baseUnits : null, vault) !== null
  // What the form shows is what is sent: where automatic is off, a person signs.
  const values = {
    ...draft.values,
    vaultId,
    mode: isAutomaticOff ? ('approved' as const) : draft.values.mode,
  }
  const uploads = useUploads(draft.attach)
  const limits = { ...units, purposeMax: config.limits.lengths.expensePurpose }
  const checked = checkValues(values, limits)
  /** The terms, or null after the first wrong field got the focus. */
  const check = (): Terms | null => {
    setProblems(checked.ok ? {} : checked.problems)
    if (checked.ok) return checked.terms
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    return null
  }
  return {
    form,
    check,
    uploads,
    fields: {
      values,
      problems,
      recipients,
      vaults,
      vault,
      uploads,
      terms: checked.ok ? checked.terms : null,
      onChange: (about: Partial<typeof values>) => {
        draft.change(about)
        if (Object.keys(problems).length > 0) setProblems({})
      },
    },
  }
}
