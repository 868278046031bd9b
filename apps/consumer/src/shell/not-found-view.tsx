import { buttonStyle } from '@countersign/ui/button.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

export function NotFoundView() {
  return (
    <Page
      width="reading"
      title={<Trans>There is no page at this address</Trans>}
      lead={<Trans>The link may be old, or you may not be allowed to see what it leads to.</Trans>}
    >
      <Link to="/" className={buttonStyle({ look: 'primary' })}>
        <Trans>Go to your organizations</Trans>
      </Link>
    </Page>
  )
}
