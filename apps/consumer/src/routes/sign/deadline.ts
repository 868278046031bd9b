/** How long a signature may be valid, by what the page has said about it. Pure. */
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { type Finding, says } from '@countersign/proof/verify-evidence.ts'
import { isShared, signaturesOf } from '../../approval/signatures.ts'

/** An hour where one person signs, a day where several do. */
const deadlineAfterSeconds = (required: number): number => (isShared({ required }) ? 86_400 : 3_600)

/** The page and the service may read the time five minutes apart. */
const CLOCKS_SECONDS = 300

type Offered = { approvalId: string; deadlineSeconds: number; now: number }

/**
 * The service chooses the deadline, so the page holds it to what it has shown: the one that the other
 * signatures have, or at most what the page says for a first signature.
 */
export function deadlineFinding(
  expense: ShownApproval['expense'],
  { approvalId, deadlineSeconds, now }: Offered,
): Finding {
  const { required, signed, open } = signaturesOf(expense)
  const latest = now / 1_000 + deadlineAfterSeconds(required) + CLOCKS_SECONDS
  const isShown =
    isShared({ required }) &&
    [...signed, ...open].some(
      (one) =>
        one.approvalId !== approvalId && Date.parse(one.deadline) / 1_000 === deadlineSeconds,
    )
  return says('deadline as shown', isShown || deadlineSeconds <= latest, String(deadlineSeconds))
}
