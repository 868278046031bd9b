/** A house whose server wallet is at the Privy emulator, with a policy for its vault. */
import { createPrivyFunding } from '#adapters/privy/privy-funding.ts'
import { createLog } from '#platform/log.ts'
import type { FundingRule } from '#ports/funding-provider.ts'
import type { Answer } from '#test/support/app.ts'
import { attachControl, type FundingHouse, openFundingHouse } from '#test/support/funding.ts'
import type { EmulatedSigner, EmulatedWallet } from '#test/support/privy-books.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { configuredFunding, EXPIRES_AT, makePolicy } from '#test/support/privy-funding.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const MAX = 3_000n

export type PrivyTreasury = Treasury & { privy: PrivyEmulator; lines: string[] }

/** Privy is configured as an operator does it; all log lines are kept. */
export async function startPrivyTreasury(): Promise<PrivyTreasury> {
  const privy = await startPrivyEmulator()
  const lines: string[] = []
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  const own = { ...privy.funding.env, PRIVY_FUNDING_EXPIRES_AT: EXPIRES_AT }
  const treasury = await startTreasury({
    env: { ...privy.env, ...own, FUNDING_MAX_BASE_UNITS: String(MAX) },
    replace: () => ({ log }),
  })
  privy.sendTo(treasury.chain.rpcUrl)
  return {
    ...{ ...treasury, privy, lines },
    async stop() {
      await treasury.stop()
      await privy.stop()
    },
  }
}

/** Changes at Privy take some seconds to apply, which tests need not wait for. */
export function hurry({ service, privy }: PrivyTreasury): void {
  service.ctx.fundingProvider = createPrivyFunding(configuredFunding(privy))
}

export type PrivyHouse = {
  house: FundingHouse
  rule: FundingRule
  wallet: EmulatedWallet
  policy: EmulatedPolicy
  /** With the policy of the house, or another. */
  attach(providerPolicyId?: string): Promise<Answer>
  /** The wallet's actual signers, and the expected one. */
  signers(): EmulatedSigner[]
  ours(): EmulatedSigner
  renewPolicy(): Promise<void>
}

export async function openPrivyHouse(treasury: PrivyTreasury): Promise<PrivyHouse> {
  const { privy } = treasury
  const house = await openFundingHouse(treasury, { baseUnits: 0n })
  const wallet = privy.wallets.find(({ external_id: id }) => id === house.wallet.id)
  if (!wallet) throw new Error('The wallet is not at Privy')
  const vaultAddress = house.vault.address.toLowerCase()
  const rule = { chainId: 31_337, vaultAddress, maxAmount: MAX, expiresAt: EXPIRES_AT }
  const opened: PrivyHouse = {
    ...{ house, rule, wallet, policy: await makePolicy(privy, rule) },
    attach: (providerPolicyId = opened.policy.id) =>
      attachControl(treasury, house, { providerPolicyId }),
    signers: () => wallet.additional_signers,
    ours: () => ({
      signer_id: privy.funding.signerId,
      override_policy_ids: [opened.policy.id],
    }),
    async renewPolicy() {
      opened.policy = await makePolicy(privy, rule)
    },
  }
  return opened
}
