import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { SetupStep, SetupStepId } from './setup-steps.ts'
import {
  NewVaultLink,
  PeopleLink,
  PolicyLink,
  RecipientsLink,
  VaultLink,
  WalletsLink,
} from './treasury-link.tsx'

type Words = { title: string; why: string; who: string; action: string }

export function useSetupWords(): Record<SetupStepId, Words> {
  const { t } = useLingui()
  const owner = t`an owner`
  const ownerOrManager = t`an owner or a manager`
  return {
    person: {
      title: t`Invite a second person`,
      why: t`Whoever asks for a payment should not be the one who approves it.`,
      who: ownerOrManager,
      action: t`Invite`,
    },
    wallet: {
      title: t`Link your wallet`,
      why: t`You prove that it is yours by a signature. Its key stays with you.`,
      who: owner,
      action: t`Link a wallet`,
    },
    treasury_owner: {
      title: t`Choose the wallet that owns the vault`,
      why: t`It gets the role of treasury owner. It alone sets the policy and can withdraw.`,
      who: owner,
      action: t`Give the role`,
    },
    approver: {
      title: t`Choose who approves payments`,
      why: t`A wallet with the role of approver signs each payment.`,
      who: owner,
      action: t`Give the role`,
    },
    executor: {
      title: t`Get an executor`,
      why: t`The key that sends payments. It can only pay what the policy allows.`,
      who: owner,
      action: t`Get an executor`,
    },
    vault: {
      title: t`Deploy a vault`,
      why: t`The contract that holds the money and enforces the policy.`,
      who: owner,
      action: t`Deploy`,
    },
    recipient: {
      title: t`Add a recipient`,
      why: t`Only recipients in the policy can ever be paid.`,
      who: ownerOrManager,
      action: t`Add`,
    },
    policy: {
      title: t`Set the policy`,
      why: t`Caps, approvers and recipients, signed by the wallet that owns the vault.`,
      who: owner,
      action: t`Set the policy`,
    },
    deposit: {
      title: t`Deposit`,
      why: t`Anyone can deposit. Only the policy and the owner let money out.`,
      who: t`anyone with a wallet`,
      action: t`Deposit`,
    },
  }
}

type LinkProps = { step: SetupStep; vaultId: string | undefined; children: ReactNode }

/** Where the step is done. */
export function SetupStepLink({ step, vaultId, children }: LinkProps) {
  const look = {
    look: step.state === 'next' ? 'primary' : 'secondary',
    size: 'small',
  } as const
  switch (step.id) {
    case 'person':
    case 'treasury_owner':
    case 'approver':
      return <PeopleLink look={look}>{children}</PeopleLink>
    case 'wallet':
      return <WalletsLink look={look}>{children}</WalletsLink>
    case 'recipient':
      return <RecipientsLink look={look}>{children}</RecipientsLink>
    case 'executor':
    case 'vault':
      return <NewVaultLink look={look}>{children}</NewVaultLink>
    case 'policy':
      return vaultId ? (
        <PolicyLink vaultId={vaultId} look={look}>
          {children}
        </PolicyLink>
      ) : null
    case 'deposit':
      return vaultId ? (
        <VaultLink vaultId={vaultId} hash="deposit" look={look}>
          {children}
        </VaultLink>
      ) : null
  }
}
