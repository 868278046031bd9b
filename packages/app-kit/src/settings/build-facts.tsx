import { CopyButton } from '@countersign/ui/copy-button.tsx'
import { Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useDeployment } from '../data/deployment.ts'

/** Anyone can build the pages from their source and compare this. */
export function BuildFacts() {
  const { t } = useLingui()
  const { buildHash } = useDeployment()
  if (!buildHash) return null
  return (
    <Section title={<Trans>This build</Trans>}>
      <p className="flex items-start gap-2 font-mono text-sm">
        <span className="min-w-0 break-all">{buildHash}</span>
        <CopyButton text={buildHash} label={t`Copy`} />
      </p>
      <p className="text-muted text-sm">
        <Trans>
          The same source gives the same hash, so anyone can compare these pages with it.
        </Trans>
      </p>
    </Section>
  )
}
