import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import type { Signer } from './funding-state.ts'

/** Binds the provider's signer and policy to the server wallet. */
export function AttachSigner({ signer, vaultId }: { signer: Signer; vaultId: string }) {
  const { t } = useLingui()
  const { id: organizationId, role } = useOrganization()
  const attach = useAction('attachFundingControl', ['getFundingControl', 'getProviderSigner'])
  const [ownPolicyId, setOwnPolicyId] = useState('')
  const providerPolicyId = signer.policyId ?? ownPolicyId.trim()
  const { signerId } = signer
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!signerId) return
    await attach.run({ path: { organizationId, vaultId }, body: { providerPolicyId, signerId } })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {signer.policyId === null && (
        <TextField
          label={t`Id of the policy at the provider`}
          hint={t`The owner of the wallet makes a policy for this vault at the provider first.`}
          value={ownPolicyId}
          onChange={(event) => setOwnPolicyId(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {attach.failure && <FailureNotice failure={attach.failure} />}
      <div>
        <Button
          type="submit"
          look="primary"
          size="small"
          isBusy={attach.isBusy}
          isDisabled={!signerId || providerPolicyId === ''}
          reason={role === 'owner' ? undefined : t`Only an owner can attach a signer.`}
        >
          <Trans>Attach the signer</Trans>
        </Button>
      </div>
    </form>
  )
}
