import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { AnotherHashForm } from './another-hash-form.tsx'

/** For a policy that was configured elsewhere, such as through a multisig. */
export function PolicySync() {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const sync = useAction('syncPolicy', ['getVault', 'getTreasuryOverview'])
  const [version, setVersion] = useState<number | null>(null)
  return (
    <details className="mt-4 rounded-lg border border-line bg-surface px-4 py-3 sm:px-5">
      <summary className="cursor-pointer font-medium">
        {t`A policy was configured elsewhere`}
      </summary>
      <div className="mt-3 flex flex-col gap-3">
        <p className="text-muted text-sm">
          <Trans>
            The service reads every policy of a vault by itself, whoever sent it. If one does not
            show yet, enter the hash of its transaction.
          </Trans>
        </p>
        <AnotherHashForm
          isBusy={sync.isBusy}
          onSubmit={async (chainTransactionHash) => {
            setVersion(null)
            const read = await sync.run({
              path: { organizationId },
              body: { chainTransactionHash },
            })
            if (read.ok) setVersion(read.data.version)
          }}
        />
        {sync.failure && <FailureNotice failure={sync.failure} />}
        {version !== null && (
          <Notice
            tone="ok"
            isLive
            title={<Trans>Version {version} was read from the chain</Trans>}
          />
        )}
      </div>
    </details>
  )
}
