/** The chain, its nodes, and what its transactions may cost. Read by `config.ts`. */
import { hasRightChecksum, isEvmAddress } from '@countersign/proof/values.ts'
import { defaultMaxFeeGwei, findKnownChain } from './known-chains.ts'
import { type Environment, integer, isLoopback, problem } from './values.ts'

export type ChainConfig = {
  id: number
  rpcUrls: string[]
  tokenAddress: string
  /** Depth at which a transaction counts; its own block is the first. */
  confirmations: number
  /** How long the follower pauses when there is no new block. */
  followEveryMs: number
  /** The most that is signed for each unit of gas, in wei. */
  feeCeiling: bigint
}

const GWEI_DECIMALS = 9
const GWEI = 10n ** BigInt(GWEI_DECIMALS)

function readRpcUrls(env: Environment, production: boolean): string[] {
  const rpcUrls = (env.RPC_URLS ?? '').split(',').map((part) => part.trim())
  const urls = rpcUrls.map((text) => URL.parse(text))
  const isHttp = (url: URL | null) => ['http:', 'https:'].includes(url?.protocol ?? '')
  if (!urls.every(isHttp)) {
    // A node's URL often carries its key, so it is not repeated.
    throw problem('RPC_URLS must be one or more http:// or https:// URLs, separated by commas.')
  }
  if (production && urls.some((url) => url?.protocol === 'http:' && !isLoopback(url))) {
    throw problem(
      'RPC_URLS must be https:// in production (http:// on loopback only): a man in the middle ' +
        'could answer for the chain.',
    )
  }
  return rpcUrls
}

/** Decimals are of use where gas costs a fraction of a gwei. */
function readFeeCeiling(env: Environment, chainId: number): bigint {
  const value = env.MAX_FEE_PER_GAS_GWEI || String(defaultMaxFeeGwei(chainId))
  const [, whole = '', decimals = ''] = /^([0-9]{1,7})(?:\.([0-9]{1,9}))?$/.exec(value) ?? []
  const wei = BigInt(whole || 0) * GWEI + BigInt(decimals.padEnd(GWEI_DECIMALS, '0'))
  if (wei > 0n) return wei
  throw problem(
    'MAX_FEE_PER_GAS_GWEI must be a number above 0 and below 10000000 with up to 9 decimals, ' +
      `not ${JSON.stringify(value)}.`,
  )
}

export function readChain(env: Environment, production: boolean): ChainConfig {
  const tokenAddress = env.TOKEN_ADDRESS ?? ''
  const rpcUrls = readRpcUrls(env, production)
  if (!isEvmAddress(tokenAddress)) throw problem('TOKEN_ADDRESS must be 0x and 40 hex digits.')
  if (!hasRightChecksum(tokenAddress)) throw problem('TOKEN_ADDRESS has a wrong EIP-55 checksum.')
  const id = integer(env, 'CHAIN_ID', { fallback: 31_337, min: 1, max: Number.MAX_SAFE_INTEGER })
  return {
    id,
    rpcUrls,
    tokenAddress,
    confirmations: integer(env, 'CONFIRMATIONS', { fallback: 1, min: 1, max: 200 }),
    followEveryMs: integer(env, 'FOLLOW_EVERY_MS', { fallback: 1_000, min: 10, max: 60_000 }),
    feeCeiling: readFeeCeiling(env, id),
  }
}

/** Settings that are allowed but worth a warning at start. */
export function chainWarnings({ id, confirmations, rpcUrls }: ChainConfig): string[] {
  const warnings: string[] = []
  const known = findKnownChain(id)
  if (known && confirmations < known.confirmations) {
    warnings.push(
      `CONFIRMATIONS is ${confirmations}; on ${known.name} take ${known.confirmations} or more: ` +
        `${known.reason}. A confirmed payment could still vanish.`,
    )
  }
  if (rpcUrls.length === 1) {
    warnings.push(
      'RPC_URLS has one node: no other node confirms what it says of the chain and of fees.',
    )
  }
  return warnings
}
