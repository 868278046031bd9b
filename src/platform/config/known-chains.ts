/** Names, native currencies, explorers, finality depth and default fee ceiling of known chains. */

export type KnownChain = {
  name: string
  /** What gas is paid in. */
  nativeSymbol: string
  /** Has the pages `/tx/HASH`, `/address/ADDRESS` and `/block/NUMBER`. */
  explorerUrl: string
  /**
   * Production warns if `CONFIRMATIONS` is lower: the chain itself, or the issuer of USDC, does not
   * consider such a block final.
   */
  confirmations: number
  /** Completes the warning. */
  reason: string
  /** Default of `MAX_FEE_PER_GAS_GWEI`, far above the chain's usual fees. */
  maxFeeGwei: number
}

const ROLLUP =
  'a block is final once its batch is in a final Ethereum block, 13 to 19 minutes later; ' +
  'before that it depends on the sequencer alone'

/**
 * Ethereum: two epochs of 32 slots (Casper FFG); Circle waits for 65 blocks.
 * Rollups: Circle waits for 65 blocks of Ethereum after the batch, more blocks than can be set here
 * (200 at most). The table asks for a few minutes of the sequencer's chain: 100 blocks of 2 s, and
 * 200 of 0.25 s on Arbitrum.
 * Polygon PoS: milestones make a block final after two or three; Circle waited for 33 before them.
 * Avalanche: final when accepted, one block.
 * Source: developers.circle.com, "Required block confirmations" of CCTP and Gateway.
 */
const CHAINS: Record<number, KnownChain> = {
  1: {
    name: 'Ethereum',
    nativeSymbol: 'ETH',
    explorerUrl: 'https://etherscan.io',
    confirmations: 64,
    reason: 'a block is final after two epochs, 64 blocks',
    maxFeeGwei: 500,
  },
  10: {
    name: 'OP Mainnet',
    nativeSymbol: 'ETH',
    explorerUrl: 'https://optimistic.etherscan.io',
    confirmations: 100,
    reason: ROLLUP,
    maxFeeGwei: 50,
  },
  137: {
    name: 'Polygon PoS',
    nativeSymbol: 'POL',
    explorerUrl: 'https://polygonscan.com',
    confirmations: 33,
    reason: 'reorganisations of dozens of blocks have happened before milestones made blocks final',
    maxFeeGwei: 2_000,
  },
  8453: {
    name: 'Base',
    nativeSymbol: 'ETH',
    explorerUrl: 'https://basescan.org',
    confirmations: 100,
    reason: ROLLUP,
    maxFeeGwei: 50,
  },
  42161: {
    name: 'Arbitrum One',
    nativeSymbol: 'ETH',
    explorerUrl: 'https://arbiscan.io',
    confirmations: 200,
    reason: ROLLUP,
    maxFeeGwei: 50,
  },
  43114: {
    name: 'Avalanche C-Chain',
    nativeSymbol: 'AVAX',
    explorerUrl: 'https://snowtrace.io',
    confirmations: 1,
    reason: 'a block is final when it is accepted',
    maxFeeGwei: 500,
  },
}

type TestChain = Pick<KnownChain, 'name' | 'nativeSymbol'> & { explorerUrl?: string }

/** Chains for tests, where nothing depends on finality. */
const TEST_CHAINS: Record<number, TestChain> = {
  31337: { name: 'Local chain', nativeSymbol: 'ETH' },
  11155111: { name: 'Sepolia', nativeSymbol: 'ETH', explorerUrl: 'https://sepolia.etherscan.io' },
  84532: { name: 'Base Sepolia', nativeSymbol: 'ETH', explorerUrl: 'https://sepolia.basescan.org' },
  421614: {
    name: 'Arbitrum Sepolia',
    nativeSymbol: 'ETH',
    explorerUrl: 'https://sepolia.arbiscan.io',
  },
  11155420: {
    name: 'OP Sepolia',
    nativeSymbol: 'ETH',
    explorerUrl: 'https://sepolia-optimism.etherscan.io',
  },
  80002: { name: 'Polygon Amoy', nativeSymbol: 'POL', explorerUrl: 'https://amoy.polygonscan.com' },
  43113: {
    name: 'Avalanche Fuji',
    nativeSymbol: 'AVAX',
    explorerUrl: 'https://testnet.snowtrace.io',
  },
}

const MAX_FEE_GWEI_ELSEWHERE = 500

export const findKnownChain = (chainId: number): KnownChain | undefined => CHAINS[chainId]

export const defaultMaxFeeGwei = (chainId: number): number =>
  CHAINS[chainId]?.maxFeeGwei ?? MAX_FEE_GWEI_ELSEWHERE

export const chainName = (chainId: number): string =>
  (CHAINS[chainId] ?? TEST_CHAINS[chainId])?.name ?? `Chain ${chainId}`

export const nativeSymbolOf = (chainId: number): string | undefined =>
  (CHAINS[chainId] ?? TEST_CHAINS[chainId])?.nativeSymbol

export const explorerUrlOf = (chainId: number): string | undefined =>
  (CHAINS[chainId] ?? TEST_CHAINS[chainId])?.explorerUrl
