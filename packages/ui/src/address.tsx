import { useLingui } from '@lingui/react/macro'
import { CopyButton } from './copy-button.tsx'
import { Identicon } from './identicon.tsx'

/** In groups of four, so that two addresses can be compared by eye, the middle included. */
export const inFours = (hex: string): string[] => {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  return digits.match(/.{1,4}/g) ?? []
}

const Fours = ({ hex }: { hex: string }) => (
  <span className="flex min-w-0 flex-wrap gap-x-1.5">
    <span className="sr-only">{hex}</span>
    <span aria-hidden="true" className="text-muted">
      0x
    </span>
    {inFours(hex).map((group, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: groups are told apart by their place
      <span key={index} aria-hidden="true">
        {group}
      </span>
    ))}
  </span>
)

/** For lists only. Where someone decides, show the whole address. */
export const shortened = (address: string): string =>
  `${address.slice(0, 6)} … ${address.slice(-4)}`

export function ShortAddress({ address }: { address: string }) {
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap font-mono text-sm"
      title={address}
    >
      <Identicon address={address} />
      <span className="sr-only">{address}</span>
      <span aria-hidden="true">{shortened(address)}</span>
    </span>
  )
}

type Props = { address: string; name?: string | null | undefined; explorerUrl?: string | undefined }

/** The whole address with its name. */
export function Address({ address, name, explorerUrl }: Props) {
  const { t } = useLingui()
  return (
    <span className="block min-w-0">
      {name && (
        <span className="flex items-center gap-2 font-medium">
          <Identicon address={address} />
          <bdi>{name}</bdi>
        </span>
      )}
      <span className="mt-0.5 flex items-center gap-x-2 font-mono text-sm">
        {!name && <Identicon address={address} />}
        <Fours hex={address} />
        <CopyButton text={address} label={t`Copy the address`} />
        {explorerUrl && (
          <a
            href={explorerUrl}
            target="_blank"
            rel="noreferrer"
            className="text-accent hover:underline"
          >
            {t`explorer`}
          </a>
        )}
      </span>
    </span>
  )
}

/** A hash in groups of four, for comparing with a device. */
export function Hash({ hash, label }: { hash: string; label?: string }) {
  const { t } = useLingui()
  return (
    <span className="flex items-center gap-x-2 font-mono text-sm">
      <Fours hex={hash} />
      <CopyButton text={hash} label={label ?? t`Copy`} />
    </span>
  )
}
