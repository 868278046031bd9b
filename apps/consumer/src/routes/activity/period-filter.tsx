import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/signed-in/organizations/$organizationId/activity')

type Props = { from: string | undefined; to: string | undefined }

/** In the address, so that a period can be sent to a colleague. */
export function PeriodFilter({ from, to }: Props) {
  const navigate = route.useNavigate()
  const choose = (search: Partial<Props>) =>
    void navigate({ search: { from, to, ...search }, replace: true })
  return (
    <div className="mb-4 flex flex-wrap items-end gap-3">
      <TextField
        type="date"
        label={<Trans>From (UTC)</Trans>}
        value={from ?? ''}
        max={to}
        onChange={(event) => choose({ from: event.target.value || undefined })}
      />
      <TextField
        type="date"
        label={<Trans>Until (UTC)</Trans>}
        value={to ?? ''}
        min={from}
        onChange={(event) => choose({ to: event.target.value || undefined })}
      />
      {(from ?? to) && (
        <Button look="quiet" onClick={() => choose({ from: undefined, to: undefined })}>
          <Trans>Show all</Trans>
        </Button>
      )}
    </div>
  )
}
