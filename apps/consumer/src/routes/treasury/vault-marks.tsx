import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Mark } from '@countersign/ui/mark.tsx'
import { useLingui } from '@lingui/react/macro'

type Props = { vault: Pick<ItemOf<'listVaults'>, 'status' | 'archivedAt' | 'isDefault'> }

export function VaultMarks({ vault: { status, archivedAt, isDefault } }: Props) {
  const { t } = useLingui()
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      {isDefault && (
        <span className="rounded-full bg-sunken px-2 py-0.5 font-medium text-muted text-xs">
          {t`Default`}
        </span>
      )}
      {archivedAt !== null ? (
        <Mark kind="ended">{t`Archived`}</Mark>
      ) : status === 'verified' ? (
        <Mark kind="done">{t`Verified`}</Mark>
      ) : status === 'pending' ? (
        <Mark kind="working">{t`Being verified`}</Mark>
      ) : (
        <Mark kind="blocked">{t`Disabled`}</Mark>
      )}
    </span>
  )
}
