import { Mark } from '@countersign/ui/mark.tsx'
import { useLingui } from '@lingui/react'
import { CASE_STATES, type CaseStatus, PRIORITIES } from './cases.ts'

export function CaseMark({ status }: { status: CaseStatus }) {
  const { i18n } = useLingui()
  const { kind, word } = CASE_STATES[status]
  return <Mark kind={kind}>{i18n._(word)}</Mark>
}

export function PriorityMark({ priority }: { priority: number }) {
  const { i18n } = useLingui()
  const found = PRIORITIES[priority]
  return found ? <Mark kind={found.kind}>{i18n._(found.word)}</Mark> : null
}
