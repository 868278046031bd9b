import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Money } from '@countersign/ui/money.tsx'
import { Trans } from '@lingui/react/macro'
import { SignatureList } from '../../approval/signature-list.tsx'
import { isShared, signaturesOf } from '../../approval/signatures.ts'
import { tierOf } from '../../approval/tiers.ts'

/** How many must sign and why, and who has. They are read again while the page is open. */
export function SignaturesFact({ expense, vault }: Pick<ShownApproval, 'expense' | 'vault'>) {
  const { required, signed } = signaturesOf(expense)
  if (!isShared({ required })) return <Trans>yours is enough</Trans>
  const tier = tierOf(vault.policy?.tiers ?? [], expense.revision.amountBaseUnits)
  return (
    <div className="flex flex-col gap-2">
      <p>
        <SignatureCount signed={signed.length} required={required} />
        {tier && (
          <span className="block text-muted text-sm">
            <Trans>
              Above <Money baseUnits={tier.above} /> the policy asks for {tier.approvals} different
              approvers.
            </Trans>
          </span>
        )}
      </p>
      {signed.length > 0 && <SignatureList signed={signed} />}
    </div>
  )
}
