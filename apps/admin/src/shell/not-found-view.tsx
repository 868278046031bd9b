import { buttonStyle } from '@countersign/ui/button.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

export function NotFoundView() {
  return (
    <Page
      width="reading"
      title={<Trans>There is nothing at this address</Trans>}
      lead={<Trans>The link may be old, or cut off.</Trans>}
    >
      <Link to="/" className={buttonStyle({ look: 'primary' })}>
        <Trans>Go to the overview</Trans>
      </Link>
    </Page>
  )
}
