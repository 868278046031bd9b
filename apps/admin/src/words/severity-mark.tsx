import { Mark } from '@countersign/ui/mark.tsx'
import { useLingui } from '@lingui/react'
import { SEVERITIES, type Severity } from './severities.ts'

export function SeverityMark({ severity }: { severity: Severity }) {
  const { i18n } = useLingui()
  const { kind, word } = SEVERITIES[severity]
  return <Mark kind={kind}>{i18n._(word)}</Mark>
}
