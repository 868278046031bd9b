/** Configuration of the chain, its nodes and the fee ceiling. Used by `config.ts`. */
import { hasRightChecksum, isEvmAddress } from '@countersign/proof/values.ts'
import {
  chainName,
  defaultMaxFeeGwei,
  explorerUrlOf,
  findKnownChain,
  nativeSymbolOf,
} from './known-chains.ts'
import { type Environment, integer, isLoopback, problem, safeUrl } from './values.ts'

export type ChainConfig = {
  id: number
  /** Shown to people. */
  name: string
  /** Base URL of a block explorer, without a trailing slash; undefined if none is known. */
  /** Undefined on a chain that is not known here. */
  nativeSymbol: string | undefined
  explorerUrl: string | undefined
  rpcUrls: string[]
  tokenAddress: string
  /** Depth at which a block is final; the block itself counts as the first. */
  confirmations: number
  /** The follower's pause if there is no new block. */
  followEveryMs: number
  /** The highest fee per unit of gas that is signed, in wei. */
  feeCeiling: bigint
}

const GWEI_DECIMALS = 9
const GWEI = 10n ** BigInt(GWEI_DECIMALS)

function readRpcUrls(env: Environment, production: boolean): string[] {
  const rpcUrls = (env.RPC_URLS ?? '').split(',').map((part) => part.trim())
  const urls = rpcUrls.map((text) => URL.parse(text))
  const isHttp = (url: URL | null) => ['http:', 'https:'].includes(url?.protocol ?? '')
  if (!urls.every(isHttp)) {
    // Not repeated, because a node's URL often contains an API key.
    throw problem('RPC_URLS must be one or more http:// or https:// URLs, separated by commas.')
  }
  if (production && urls.some((url) => url?.protocol === 'http:' && !isLoopback(url))) {
    throw problem(
      'RPC_URLS must be https:// in production (http:// on loopback only), because a man in the ' +
        'middle could forge answers.',
    )
  }
  return rpcUrls
}

/** Decimals are for chains where gas costs a fraction of a gwei. */
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

function readExplorer(
  env: Environment,
  { chainId, production }: { chainId: number; production: boolean },
): string | undefined {
  if (!env.EXPLORER_URL) return explorerUrlOf(chainId)
  return safeUrl('EXPLORER_URL', env.EXPLORER_URL, production)
}

export function readChain(env: Environment, production: boolean): ChainConfig {
  const tokenAddress = env.TOKEN_ADDRESS ?? ''
  const rpcUrls = readRpcUrls(env, production)
  if (!isEvmAddress(tokenAddress)) throw problem('TOKEN_ADDRESS must be 0x and 40 hex digits.')
  if (!hasRightChecksum(tokenAddress)) throw problem('TOKEN_ADDRESS has a wrong EIP-55 checksum.')
  const id = integer(env, 'CHAIN_ID', { fallback: 31_337, min: 1, max: Number.MAX_SAFE_INTEGER })
  return {
    id,
    name: chainName(id),
    nativeSymbol: nativeSymbolOf(id),
    explorerUrl: readExplorer(env, { chainId: id, production }),
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
      `CONFIRMATIONS is ${confirmations}; on ${known.name} use ${known.confirmations} or more: ` +
        `${known.reason}. A confirmed payment could still be reorganised away.`,
    )
  }
  if (rpcUrls.length === 1) {
    warnings.push(
      'RPC_URLS has one node: no second node verifies its answers. Configure at least two.',
    )
  }
  return warnings
}
