/** The rules analyst: every check, in the order of the report. */
import { automaticChecks } from './automatic-checks.ts'
import type { Check } from './check.ts'
import { historyChecks } from './history-checks.ts'
import { policyChecks } from './policy-checks.ts'
import { purposeChecks } from './purpose-checks.ts'
import { receiptChecks } from './receipt-checks.ts'
import { recipientChecks } from './recipient-checks.ts'

export const checks: readonly Check[] = [
  ...policyChecks,
  ...automaticChecks,
  ...recipientChecks,
  ...historyChecks,
  ...receiptChecks,
  ...purposeChecks,
]
