import { Trans } from '@lingui/react/macro'

type Props = { signed: number; required: number }

/** "1 of 2 signatures", wherever more than one person must sign. */
export const SignatureCount = ({ signed, required }: Props) => (
  <span className="figures whitespace-nowrap">
    <Trans>
      {signed} of {required} signatures
    </Trans>
  </span>
)
