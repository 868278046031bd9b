import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { isAddress } from 'viem'
import { useOrganization } from '../../data/organization.tsx'
import { isTransactionHash } from './intent-steps.ts'

/** For a vault that was deployed by other means, such as through a multisig. */
export function RegisterVault() {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const navigate = useNavigate()
  const register = useAction('registerVault', ['listVaults', 'getTreasuryOverview'])
  const [form, setForm] = useState({ label: '', address: '', hash: '' })
  const [problems, setProblems] = useState<{ address?: string; hash?: string }>({})
  const set = (part: Partial<typeof form>) => {
    setForm({ ...form, ...part })
    setProblems({})
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const address = form.address.trim()
    const deploymentTransactionHash = form.hash.trim()
    const found = {
      ...(!isAddress(address) && {
        address: t`This is not an address, or it was mistyped. Copy it again.`,
      }),
      ...(!isTransactionHash(deploymentTransactionHash) && {
        hash: t`A transaction hash is 0x and 64 digits or letters from a to f.`,
      }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const label = form.label.trim()
    const made = await register.run({
      path: { organizationId },
      body: { address, deploymentTransactionHash, ...(label && { label }) },
    })
    if (!made.ok) return
    say(t`The vault was added.`)
    await navigate({
      to: '/organizations/$organizationId/treasury/$vaultId',
      params: { organizationId, vaultId: made.data.id },
    })
  }
  return (
    <details className="mt-8 rounded-lg border border-line bg-surface px-4 py-3 sm:px-5">
      <summary className="cursor-pointer font-medium">
        <Trans>Add a vault that exists already</Trans>
      </summary>
      <form onSubmit={submit} className="mt-3 flex flex-col gap-4" noValidate>
        <p className="text-muted text-sm">
          <Trans>
            Its code, owner and deployment are checked on chain. It must have been deployed for this
            organization with a prepared deployment, for instance through a multisig.
          </Trans>
        </p>
        <TextField
          label={t`Name of the vault`}
          value={form.label}
          onChange={(event) => set({ label: event.target.value })}
          maxLength={config.limits.lengths.vaultLabel}
          autoComplete="off"
        />
        <TextField
          label={t`Address of the vault`}
          value={form.address}
          problem={problems.address}
          onChange={(event) => set({ address: event.target.value })}
          autoComplete="off"
          spellCheck={false}
        />
        <TextField
          label={t`Hash of its deployment`}
          value={form.hash}
          problem={problems.hash}
          onChange={(event) => set({ hash: event.target.value })}
          autoComplete="off"
          spellCheck={false}
        />
        {register.failure && <FailureNotice failure={register.failure} />}
        <div>
          <Button
            type="submit"
            isBusy={register.isBusy}
            isDisabled={form.address.trim() === '' || form.hash.trim() === ''}
          >
            <Trans>Check and add</Trans>
          </Button>
        </div>
      </form>
    </details>
  )
}
