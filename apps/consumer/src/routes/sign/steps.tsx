import { Trans } from '@lingui/react/macro'

/** Where the person is: read, compare, signed. */
export const Steps = ({ current }: { current: 1 | 2 }) => (
  <p className="-mt-3 text-muted text-sm">
    {current === 1 ? (
      <Trans>Step 1 of 2: read what you approve</Trans>
    ) : (
      <Trans>Step 2 of 2: compare and sign</Trans>
    )}
  </p>
)
