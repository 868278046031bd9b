import { useLingui } from '@lingui/react/macro'
import { useEnvironment } from '../data/operator-live.tsx'

/** Says at a glance which application this is, and whose data it shows. */
export function Stripe() {
  const { t } = useLingui()
  const environment = useEnvironment()
  const names: Record<string, string> = { production: t`production`, development: t`development` }
  return (
    <p className="print:hidden bg-accent px-4 py-1 text-center font-medium text-on-accent text-xs">
      {t`Administration`}
      {environment && ` · ${names[environment] ?? environment}`}
    </p>
  )
}
