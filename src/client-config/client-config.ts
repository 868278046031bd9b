/** What an application must know about this deployment before anybody signs in. No secret. */
import { checksummed } from '@countersign/proof/values.ts'
import { SIZE_MAX_BYTES } from '#attachments/attachment.ts'
import type { Context } from '#context.ts'
import { REVISIONS_MAX } from '#expenses/change-expense.ts'
import { COMMENTS_MAX } from '#expenses/comment-on-expense.ts'
import type { Config } from '#platform/config/config.ts'
import type { Quotas } from '#platform/config/limits.ts'
import type { WalletProviderType } from '#platform/config/providers.ts'
import { walletProviderName } from '#platform/config/wallets.ts'
import { TOKEN_DECIMALS, TOKEN_SYMBOL } from '#platform/token.ts'
import { DEVICES_MAX } from '#push/subscribe.ts'
import { APPROVERS_MAX } from '#treasury/policy.ts'
import { RECIPIENT_CHANGES_MAX } from '#treasury/recipients-step.ts'

export type ClientConfig<Lengths> = {
  chain: {
    id: number
    name: string
    nativeSymbol: string | null
    confirmations: number
    /** Templates: replace the part in braces. */
    explorer: { transactionUrl: string; addressUrl: string; blockUrl: string } | null
  }
  token: { symbol: string; address: string; decimals: number }
  limits: {
    requestBodyBytes: number
    attachmentBytes: number
    lengths: Lengths
    counts: {
      policyApprovers: number
      recipientChanges: number
      expenseRevisions: number
      expenseComments: number
      pushDevices: number
    }
    quotas: Quotas
    requestsPerMinute: number
    streamsPerAccount: number
  }
  features: {
    push: boolean
    email: boolean
    walletLinks: boolean
    funding: boolean
    model: boolean
    walletProvider: WalletProviderType | null
    paymentRelease: Config['paymentRelease']
    organizationJoin: Config['limits']['organizationJoin']
  }
}

export type ClientConfigContext = Pick<Context, 'config' | 'push' | 'fundingProvider'>

export const describeClientConfig = <Lengths>(
  ctx: ClientConfigContext,
  { lengths, requestBodyBytes }: { lengths: Lengths; requestBodyBytes: number },
): ClientConfig<Lengths> => ({
  chain: describeChain(ctx.config.chain),
  token: {
    symbol: TOKEN_SYMBOL,
    address: checksummed(ctx.config.chain.tokenAddress),
    decimals: TOKEN_DECIMALS,
  },
  limits: {
    requestBodyBytes,
    attachmentBytes: SIZE_MAX_BYTES,
    lengths,
    counts: {
      policyApprovers: APPROVERS_MAX,
      recipientChanges: RECIPIENT_CHANGES_MAX,
      expenseRevisions: REVISIONS_MAX,
      expenseComments: COMMENTS_MAX,
      pushDevices: DEVICES_MAX,
    },
    quotas: ctx.config.limits.quotas,
    requestsPerMinute: ctx.config.rateLimit.perAccount,
    streamsPerAccount: ctx.config.streams.perAccount,
  },
  features: describeFeatures(ctx),
})

const describeChain = ({
  id,
  name,
  nativeSymbol,
  confirmations,
  explorerUrl: base,
}: Config['chain']) => ({
  id,
  name,
  nativeSymbol: nativeSymbol ?? null,
  confirmations,
  explorer:
    base === undefined
      ? null
      : {
          transactionUrl: `${base}/tx/{transactionHash}`,
          addressUrl: `${base}/address/{address}`,
          blockUrl: `${base}/block/{blockNumber}`,
        },
})

function describeFeatures({ config, push, fundingProvider }: ClientConfigContext) {
  const provider = walletProviderName(config.wallets)
  return {
    push: push !== undefined,
    email: config.email !== undefined,
    walletLinks: config.origins.consumerApp !== undefined,
    funding: fundingProvider !== undefined,
    model: config.analyst !== undefined,
    walletProvider: provider === 'none' ? null : provider,
    paymentRelease: config.paymentRelease,
    organizationJoin: config.limits.organizationJoin,
  }
}
