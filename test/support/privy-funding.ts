/** Setup for a funding signer at the Privy emulator: policies, gas, tokens, allowance. */
import { createPrivateKey, randomUUID, sign } from 'node:crypto'
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import canonicalize from 'canonicalize'
import { type Address, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compilePolicy } from '#adapters/privy/privy-policy.ts'
import { createPrivyWallets } from '#adapters/privy/privy-wallets.ts'
import { addSeconds, systemClock } from '#platform/clock.ts'
import { readWalletsConfig } from '#platform/config/wallets.ts'
import type { AttachedControl, FundingRule } from '#ports/funding-provider.ts'
import { type TestChain, tokenAbi } from '#test/support/chain.ts'
import type { EmulatedWallet } from '#test/support/privy-books.ts'
import type { PrivyEmulator } from '#test/support/privy-emulator.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'

type Asked = {
  method?: string
  path: string
  body?: unknown
  /** The signer's key in base64 PKCS#8. */
  keys?: string[]
  headers?: Record<string, string>
}

/** A request in Privy's format, signed over exactly what is sent. */
export async function askPrivy(
  { url, env }: Pick<PrivyEmulator, 'url' | 'env'>,
  { method = 'POST', path, body, keys = [], headers = {} }: Asked,
) {
  const { PRIVY_APP_ID: app = '', PRIVY_APP_SECRET: secret } = env
  const covered = { 'privy-app-id': app, ...headers }
  const payload = { version: 1, method, url: `${url}${path}`, body, headers: covered }
  const bytes = Buffer.from(canonicalize(payload) ?? '')
  const signatures = keys.map((key) => {
    const der = Buffer.from(key.replace('wallet-auth:', ''), 'base64')
    return sign('sha256', bytes, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  })
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...covered,
      authorization: `Basic ${Buffer.from(`${app}:${secret}`).toString('base64')}`,
      'content-type': 'application/json',
      ...(keys.length > 0 && {
        'privy-authorization-signature': signatures.map((one) => one.toString('base64')).join(),
      }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of a server of their own
  return { status: response.status, body: (await response.json()) as any }
}

/** As the operator creates it, with the command's output. */
export async function makePolicy(
  privy: PrivyEmulator,
  rule: FundingRule,
  { ownerId = privy.funding.policyOwnerId }: { ownerId?: string } = {},
): Promise<EmulatedPolicy> {
  const compiled = compilePolicy(rule, { ownerId })
  const { status, body } = await askPrivy(privy, { path: '/v1/policies', body: compiled })
  const made = privy.policies.find(({ id }) => id === body.id)
  if (status !== 200 || !made) throw new Error(`No policy: ${status} ${JSON.stringify(body)}`)
  return made
}

/** Sends gas and tokens to the wallet, and approves some of them for the vault. */
export async function furnish(
  chain: TestChain,
  wallet: EmulatedWallet,
  { vaultAddress, baseUnits, wei = 10n ** 17n }: Furnishing,
): Promise<Hex> {
  const rich = await chain.wallet({ wei: wei * 2n, baseUnits })
  const to = wallet.address as Address
  await chain.mined(await rich.send({ to, data: '0x', gas: '0x5208' }, { wei }))
  const token = { address: chain.tokenAddress, abi: tokenAbi }
  const paid = { ...token, functionName: 'transfer', args: [to, baseUnits] } as const
  await chain.mined(await rich.call(paid))
  const account = privateKeyToAccount(wallet.privateKey as Hex)
  const definition = chain.client.chain
  const own = createWalletClient({ account, chain: definition, transport: http(chain.rpcUrl) })
  const args = [vaultAddress as Address, baseUnits] as const
  const hash = await own.writeContract({ ...token, functionName: 'approve', args } as never)
  await chain.mined(hash)
  return hash
}

type Furnishing = { vaultAddress: string; baseUnits: bigint; wei?: bigint }

export const EXPIRES_AT = secondsToTimestamp(
  timestampToSeconds(addSeconds(systemClock.now(), 3_600).toISOString()),
)

/** As an operator configures it, without a delay after changes. */
export function configuredFunding({ env, funding }: PrivyEmulator) {
  const own = { ...funding.env, PRIVY_FUNDING_EXPIRES_AT: EXPIRES_AT }
  const config = readWalletsConfig({ ...env, ...own }, false)
  if (config.provider !== 'privy' || !config.funding) throw new Error('Privy is not configured')
  return { ...config, funding: config.funding, clock: systemClock, settleMs: 0 }
}

export type SignerBench = {
  wallet: EmulatedWallet
  policy: EmulatedPolicy
  /** Requests to the provider: nothing is attached yet. */
  control: AttachedControl
}

/** A wallet of our owner, and a policy owned by another account. */
export async function openSignerBench(
  privy: PrivyEmulator,
  rule: FundingRule,
): Promise<SignerBench> {
  const walletId = randomUUID()
  const wallets = createPrivyWallets(configuredFunding(privy))
  const made = await wallets.create({ walletId, chainType: 'ethereum', isRepeat: false })
  const wallet = privy.wallets.find(({ external_id: id }) => id === walletId)
  if (made.outcome !== 'created' || !wallet) throw new Error('There is no wallet')
  const policy = await makePolicy(privy, rule)
  const { address, reference } = made
  const control = {
    controlId: randomUUID(),
    wallet: { walletId, chainType: 'ethereum' as const, address, reference },
    signerId: privy.funding.signerId,
    policyId: policy.id,
    rule,
    reference: Buffer.from(policy.id),
  }
  return { wallet, policy, control }
}
