import { buttonStyle } from '@countersign/ui/button.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

export function AccessEndedView() {
  return (
    <Page
      width="reading"
      title={<Trans>You are not a member of this organization</Trans>}
      lead={
        <Trans>
          Your access may have ended. An owner of the organization can invite you again.
        </Trans>
      }
    >
      <Link to="/" className={buttonStyle({ look: 'primary' })}>
        <Trans>Go to your organizations</Trans>
      </Link>
    </Page>
  )
}
