/**
 * Operator commands for a funding signer at Privy. `npm run funding -- policy VAULT_ADDRESS
 * OWNER_ID` prints the policy to create there. `npm run funding -- approve WALLET_ID VAULT_ADDRESS`
 * grants the vault an allowance of one policy limit. `npm run funding -- end ACTION_ID` ends a
 * deposit without a provider report, as the chain shows it.
 */
import { hasRightChecksum, isEvmAddress, isUuid } from '@countersign/proof/values.ts'
import { sendPrivyApproval } from '#adapters/privy/privy-approval.ts'
import { compilePolicy } from '#adapters/privy/privy-policy.ts'
import type { Context } from '#context.ts'
import { endAction } from '#funding/end-action.ts'
import { readEnvironment } from '#platform/config/config.ts'
import type { PrivyConfig, PrivyFundingConfig } from '#platform/config/wallets.ts'
import { AppError, isUnavailable, StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { lowerCased } from '#platform/values.ts'
import { withContext } from './command.ts'

const USAGE =
  'Usage: npm run funding -- policy VAULT_ADDRESS OWNER_ID, ' +
  'npm run funding -- approve WALLET_ID VAULT_ADDRESS, ' +
  'or npm run funding -- end ACTION_ID'

/** Checked before the database or Privy is called. */
function parseAddress(argument: string): string {
  if (hasRightChecksum(argument)) return lowerCased(argument)
  throw new StartupError(
    `${argument} has a wrong EIP-55 checksum. Copy the address again from its source.`,
  )
}

type Privy = PrivyConfig & { funding: PrivyFundingConfig }

function privyOf({ config: { wallets } }: Pick<Context, 'config'>): Privy {
  if (wallets.provider === 'privy' && wallets.funding) {
    return { ...wallets, funding: wallets.funding }
  }
  throw new StartupError('Configure the Privy funding signer first: see docs/PROVIDERS.md.')
}

function policy(ctx: Context, vaultAddress: string, ownerId: string): string {
  const { funding } = privyOf(ctx)
  if (ownerId === funding.signerId) {
    throw new StartupError(
      'The signer must not own its policy, because it could change it. Name another quorum.',
    )
  }
  const { chain, funding: limits } = ctx.config
  const { expiresAt } = funding
  const rule = { chainId: chain.id, vaultAddress, maxAmount: limits.maxAmount, expiresAt }
  return JSON.stringify(compilePolicy(rule, { ownerId }), null, 2)
}

async function approve(ctx: Context, walletId: string, vaultAddress: string): Promise<string> {
  const { chain, funding } = ctx.config
  const answer = await sendPrivyApproval(
    { ...privyOf(ctx), clock: ctx.clock },
    {
      walletId,
      vaultAddress,
      tokenAddress: chain.tokenAddress,
      chainId: chain.id,
      amount: funding.maxAmount,
      idempotencyKey: ctx.ids.next(),
    },
  ).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error
    throw new StartupError('Privy gave no usable answer. Check the allowance before you retry.')
  })
  if (answer.outcome === 'sent') return `Sent: ${answer.transactionHash}`
  throw new StartupError(`Privy refused the approval: ${answer.code}.`)
}

async function end(ctx: Context, actionId: string): Promise<string> {
  const state = await endAction(ctx, actionId).catch((error: unknown) => {
    if (error instanceof AppError) throw new StartupError(error.message)
    throw error
  })
  return state === 'confirmed'
    ? 'The deposit is on chain: the action is confirmed.'
    : 'The deposit is not on chain: the action is failed.'
}

export async function main(
  [action, first = '', second = '', ...rest]: string[],
  env = readEnvironment(),
): Promise<string> {
  // These commands use the provider's keys.
  const options = { process: 'worker', env } as const
  const hasNoMore = rest.length === 0
  if (hasNoMore && action === 'policy' && isEvmAddress(first) && /^[\w-]{1,64}$/.test(second)) {
    const vaultAddress = parseAddress(first)
    return withContext(async (ctx) => policy(ctx, vaultAddress, second), options)
  }
  if (hasNoMore && action === 'approve' && isUuid(first) && isEvmAddress(second)) {
    const vaultAddress = parseAddress(second)
    return withContext((ctx) => approve(ctx, first.toLowerCase(), vaultAddress), options)
  }
  if (hasNoMore && action === 'end' && isUuid(first) && second === '') {
    return withContext((ctx) => end(ctx, first.toLowerCase()), options)
  }
  throw new StartupError(USAGE)
}

if (import.meta.main) await runCommand(() => main(process.argv.slice(2)))
