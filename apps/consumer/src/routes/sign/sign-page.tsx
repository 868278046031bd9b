import { client } from '@countersign/app-kit/data/api.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { type RequestFailed, unwrap } from '@countersign/client/result.ts'
import { readForApproval } from '@countersign/client/sign-approval.ts'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { signaturesOf } from '../../approval/signatures.ts'
import { useOrganization } from '../../data/organization.tsx'
import { StaleNotice } from '../../shell/stale-notice.tsx'
import { foreignChecks } from './belonging.ts'
import { NothingToSign } from './nothing-to-sign.tsx'
import { RefusedView } from './refused-view.tsx'
import { SignFlow } from './sign-flow.tsx'
import { SignedView } from './signed-view.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/expenses/$expenseId/sign')

const SIGNED = [
  'approved_ready_for_payment',
  'automatic_ready_for_payment',
  'executing',
  'reconciling',
  'paid',
]

/** Review and sign: from what was shown, recomputed in the page, compared with the chain. */
export function SignPage() {
  const asked = route.useParams()
  const { organizationId, expenseId } = asked
  const { accountId } = useOrganization()
  // Never read again by itself: what is signed is compared with exactly what was shown.
  const shown = useQuery<ShownApproval, RequestFailed>({
    queryKey: ['signing', organizationId, expenseId],
    queryFn: async () => unwrap(await readForApproval(client, asked)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const back = (
    <Link
      to="/organizations/$organizationId/expenses/$expenseId"
      params={{ organizationId, expenseId }}
      className="text-muted hover:text-text"
    >
      <Trans>Back to the expense</Trans>
    </Link>
  )
  return (
    <Page title={<Trans>You approve a payment</Trans>} back={back} width="reading">
      <StaleNotice />
      <ReadView of={shown} lines={7}>
        {(data) => {
          const foreign = foreignChecks(asked, data)
          if (foreign) {
            return (
              <RefusedView
                expenseId={expenseId}
                checks={foreign}
                onReadAgain={() => void shown.refetch()}
              />
            )
          }
          const { state, paymentId } = data.expense
          const isSignedByMe = signaturesOf(data.expense).signed.some(
            (one) => one.accountId === accountId,
          )
          if (state === 'awaiting_approval' && !isSignedByMe) {
            return (
              <SignFlow
                key={shown.dataUpdatedAt}
                asked={asked}
                shown={data}
                onReadAgain={() => void shown.refetch()}
              />
            )
          }
          return isSignedByMe || SIGNED.includes(state) ? (
            <SignedView paymentId={paymentId} expenseId={expenseId} isNews={false} />
          ) : (
            <NothingToSign expense={data.expense} />
          )
        }}
      </ReadView>
    </Page>
  )
}
