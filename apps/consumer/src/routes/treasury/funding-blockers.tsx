import { Address } from '@countersign/ui/address.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { type Blocker, type BlockerFix, fixOf, type Signer } from './funding-state.ts'
import { NewVaultLink, PeopleLink, WalletsLink } from './treasury-link.tsx'

type Props = {
  signer: Signer
  /** The form that attaches the signer. */
  attach: ReactNode
}

/** What is missing, and for the first of it the fix. */
export function FundingBlockers({ signer, attach }: Props) {
  const { t } = useLingui()
  const words: Record<Blocker, string> = {
    signer_not_configured: t`This service has no provider of signers.`,
    no_vault: t`There is no vault yet.`,
    vault_unverified: t`The default vault is not verified yet.`,
    control_missing: t`No signer is attached to the default vault.`,
    control_unverified: t`The attached signer is not verified.`,
    policy_expired: t`The policy of the signer has ended.`,
    allowance_missing: t`The token does not let the vault take money from the wallet yet.`,
    wallet_unfunded: t`The wallet has no money to deposit.`,
    provider_unavailable: t`The provider of the wallet did not answer last time.`,
  }
  const fund = signer.walletRoles.find(({ active }) => active)?.address
  const fixes: Record<BlockerFix, ReactNode> = {
    deploy: (
      <NewVaultLink look={{ size: 'small' }}>
        <Trans>Deploy a vault</Trans>
      </NewVaultLink>
    ),
    wallet: (
      <div className="flex flex-col gap-2">
        <p className="text-muted text-sm">
          <Trans>
            Create a server wallet for this organization, then give it the role of treasury owner.
            It only deposits; it does not own the vault.
          </Trans>
        </p>
        <span className="flex flex-wrap gap-2">
          <WalletsLink look={{ size: 'small' }}>
            <Trans>Create a wallet</Trans>
          </WalletsLink>
          <PeopleLink look={{ size: 'small' }}>
            <Trans>Give the role</Trans>
          </PeopleLink>
        </span>
      </div>
    ),
    attach,
    fund: (
      <div>
        <p className="text-muted text-sm">
          <Trans>Send the token to this address, from any wallet or exchange:</Trans>
        </p>
        {fund && <Address address={fund} />}
      </div>
    ),
    wait: (
      <p className="text-muted text-sm">
        <Trans>Usually this passes by itself within minutes.</Trans>
      </p>
    ),
    none: (
      <p className="text-muted text-sm">
        <Trans>Deposit from your own wallet instead.</Trans>
      </p>
    ),
  }
  if (signer.blockers.length === 0) return null
  return (
    <Section title={<Trans>What is missing</Trans>} note={signer.blockers.length}>
      <Card isFlush>
        <ol className="divide-y divide-line">
          {signer.blockers.map((blocker, index) => (
            <li
              key={blocker}
              className="flex flex-col gap-2 px-4 py-3 sm:px-5"
              aria-current={index === 0 ? 'step' : undefined}
            >
              <span className={index === 0 ? 'font-medium' : 'text-muted'}>{words[blocker]}</span>
              {index === 0 && fixes[fixOf(blocker, signer)]}
            </li>
          ))}
        </ol>
      </Card>
    </Section>
  )
}
