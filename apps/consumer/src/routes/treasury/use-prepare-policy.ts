import { useAction } from '@countersign/app-kit/data/actions.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { useOrganization } from '../../data/organization.tsx'
import type { KeptPolicy } from './kept-transactions.ts'
import { bodyOf, type Policy, type PolicyTerms } from './policy-terms.ts'
import { recipientsAfter } from './recipient-step.ts'

/** Asks the service for the transaction, and keeps what was asked for to compare it with. */
export function usePreparePolicy(
  vault: DataOf<'getVault'>,
  onPrepared: (kept: KeptPolicy) => void,
) {
  const { id: organizationId } = useOrganization()
  const prepare = useAction('preparePolicy', ['listPolicyIntents'])
  const run = async (terms: PolicyTerms, policy: Policy) => {
    const expectedVersion = vault.policy?.version ?? 0
    const expectedRecipientsVersion = vault.recipientsVersion
    const prepared = await prepare.run({
      path: { organizationId, vaultId: vault.id },
      body: bodyOf(terms),
    })
    if (!prepared.ok) return
    const { id, changes } = prepared.data
    onPrepared({
      intentId: id,
      expectedVersion,
      expectedRecipientsVersion,
      isOwn: true,
      policy: {
        ...policy,
        tiers: [...policy.tiers],
        approverAddresses: [...policy.approverAddresses],
        recipientAddresses: [
          ...recipientsAfter(
            vault.policy?.recipientAddresses ?? vault.earlyRecipientAddresses,
            policy.recipientAddresses,
            changes.recipients,
          ),
        ],
      },
      hash: null,
    })
  }
  return { run, isBusy: prepare.isBusy, failure: prepare.failure, reset: prepare.reset }
}
