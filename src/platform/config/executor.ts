/** Configuration of the provider that holds the executors' keys. Used by `config.ts`. */
import { isAbsolute } from 'node:path'
import { hasRightChecksum, isEvmAddress, isUuid } from '@countersign/proof/values.ts'
import { lowerCased } from '#platform/values.ts'
import { type ExecutorName, executorNames } from './providers.ts'
import { choice, type Environment, problem, safeUrl, visible } from './values.ts'

export type CircleConfig = {
  url: string
  apiKey: string
  /** 32 bytes. Circle receives it only encrypted. */
  entitySecret: Uint8Array
  /** Undefined creates a wallet set per executor. */
  walletSetId: string | undefined
  /** Circle's name for the chain. */
  blockchain: string
  accountType: 'EOA' | 'SCA'
  feeLevel: 'LOW' | 'MEDIUM' | 'HIGH'
}

export type CommandLineConfig = {
  /** Absolute path, so that PATH is not searched. */
  program: string
  /** Home folder with the program's login session. */
  home: string
  /** PATH in the program's minimal environment. */
  path: string
  /** The program's name for the chain. */
  blockchain: string
  network: 'mainnet' | 'testnet'
  /** Lower-case wallet address by organization id. */
  wallets: ReadonlyMap<string, string>
}

export type ExecutorConfig =
  | { provider: 'local' }
  | ({ provider: 'circle' } & CircleConfig)
  | ({ provider: 'command_line' } & CommandLineConfig)
  /** In API processes: the provider's name and settings, without credentials. */
  | { provider: 'keyless'; of: ExecutorName }

export const executorNameOf = (executor: ExecutorConfig): ExecutorName =>
  executor.provider === 'keyless' ? executor.of : executor.provider

const CIRCLE_URL = 'https://api.circle.com'
const CIRCLE_NEEDS = ['CIRCLE_API_KEY', 'CIRCLE_ENTITY_SECRET'] as const
const COMMAND_LINE_NEEDS = ['COMMAND_LINE_PROGRAM', 'COMMAND_LINE_WALLETS'] as const

/** Circle's names for the chains on which it executes contracts. */
const blockchains: Readonly<Record<number, string>> = {
  1: 'ETH',
  10: 'OP',
  130: 'UNI',
  137: 'MATIC',
  143: 'MONAD',
  1301: 'UNI-SEPOLIA',
  8453: 'BASE',
  10143: 'MONAD-TESTNET',
  42161: 'ARB',
  43113: 'AVAX-FUJI',
  43114: 'AVAX',
  80002: 'MATIC-AMOY',
  84532: 'BASE-SEPOLIA',
  421614: 'ARB-SEPOLIA',
  5042002: 'ARC-TESTNET',
  11155111: 'ETH-SEPOLIA',
  11155420: 'OP-SEPOLIA',
}

const isTestnet = (name: string): boolean => /-(?:SEPOLIA|FUJI|AMOY|TESTNET)$/.test(name)

type ExecutorContext = { production: boolean; chainId: number; isKeyless?: boolean }

export function readExecutorConfig(env: Environment, context: ExecutorContext): ExecutorConfig {
  const provider = choice(env, 'EXECUTOR_PROVIDER', { options: executorNames, fallback: 'local' })
  if (context.isKeyless) return { provider: 'keyless', of: provider }
  if (provider === 'local') return { provider }
  if (provider === 'circle') return { provider, ...readCircle(env, context) }
  return { provider, ...readCommandLine(env, context) }
}

function needAll(env: Environment, provider: string, names: readonly string[]): void {
  if (names.every((name) => env[name])) return
  throw problem(`EXECUTOR_PROVIDER ${provider} needs ${names.join(', ')}.`)
}

function readCircle(env: Environment, { production, chainId }: ExecutorContext): CircleConfig {
  needAll(env, 'circle', CIRCLE_NEEDS)
  const [apiKey = '', secret = ''] = CIRCLE_NEEDS.map((name) => visible(env, name, 1_000))
  if (!/^[^:]+:[^:]+:[^:]+$/.test(apiKey)) {
    throw problem('CIRCLE_API_KEY must have three parts, PREFIX:ID:SECRET.')
  }
  if (!/^[0-9a-fA-F]{64}$/.test(secret)) {
    throw problem('CIRCLE_ENTITY_SECRET must be the 32 bytes as 64 hex digits.')
  }
  const walletSetId = env.CIRCLE_WALLET_SET_ID || undefined
  if (walletSetId !== undefined && !isUuid(walletSetId)) {
    throw problem('CIRCLE_WALLET_SET_ID must be the id of a wallet set, a UUID.')
  }
  const blockchain = readBlockchain(env, 'CIRCLE_BLOCKCHAIN', chainId)
  if (apiKey.startsWith('TEST_') && !isTestnet(blockchain)) {
    throw problem(`CIRCLE_API_KEY is for test networks, but ${blockchain} is not one.`)
  }
  return {
    url: safeUrl('CIRCLE_URL', env.CIRCLE_URL || CIRCLE_URL, production),
    apiKey,
    entitySecret: Buffer.from(secret, 'hex'),
    walletSetId,
    blockchain,
    accountType: choice(env, 'CIRCLE_ACCOUNT_TYPE', { options: ['EOA', 'SCA'], fallback: 'EOA' }),
    feeLevel: choice(env, 'CIRCLE_FEE_LEVEL', {
      options: ['LOW', 'MEDIUM', 'HIGH'],
      fallback: 'MEDIUM',
    }),
  }
}

function readCommandLine(env: Environment, { chainId }: ExecutorContext): CommandLineConfig {
  needAll(env, 'command_line', COMMAND_LINE_NEEDS)
  const program = env.COMMAND_LINE_PROGRAM ?? ''
  const home = env.COMMAND_LINE_HOME || env.HOME || ''
  if (!isAbsolute(program)) {
    throw problem('COMMAND_LINE_PROGRAM must be the absolute path of the program circle.')
  }
  if (!isAbsolute(home)) {
    throw problem('COMMAND_LINE_HOME must be the absolute path of a home folder.')
  }
  const blockchain = readBlockchain(env, 'COMMAND_LINE_BLOCKCHAIN', chainId)
  return {
    program,
    home,
    blockchain,
    path: env.PATH ?? '',
    network: isTestnet(blockchain) ? 'testnet' : 'mainnet',
    wallets: readWallets(env.COMMAND_LINE_WALLETS ?? ''),
  }
}

/** Pairs `ORGANIZATION_ID=0x…`, separated by commas. A wallet belongs to one organization. */
function readWallets(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split('='))
  const wallets = new Map<string, string>()
  for (const [organizationId, address, ...rest] of pairs) {
    if (!isUuid(organizationId) || !isEvmAddress(address) || rest.length > 0) {
      throw problem(
        'COMMAND_LINE_WALLETS must be pairs ORGANIZATION_ID=ADDRESS, separated by commas.',
      )
    }
    if (!hasRightChecksum(address)) {
      throw problem(`COMMAND_LINE_WALLETS: ${address} has a wrong EIP-55 checksum.`)
    }
    wallets.set(lowerCased(organizationId), lowerCased(address))
  }
  const isOnce = wallets.size === pairs.length && new Set(wallets.values()).size === pairs.length
  if (!isOnce) throw problem('COMMAND_LINE_WALLETS must name every organization and wallet once.')
  return wallets
}

/** A wrong name would send payments to another chain, where there is no vault. */
function readBlockchain(
  env: Environment,
  name: 'CIRCLE_BLOCKCHAIN' | 'COMMAND_LINE_BLOCKCHAIN',
  chainId: number,
): string {
  const known = blockchains[chainId]
  const wanted = env[name] || known
  if (wanted === undefined) throw problem(`Set ${name}: Circle has no name for chain ${chainId}.`)
  if (!/^[A-Z0-9-]{2,32}$/.test(wanted)) {
    throw problem(`${name} must be Circle's name for the chain, such as BASE-SEPOLIA.`)
  }
  if (wanted === (known ?? wanted)) return wanted
  throw problem(`${name} must be ${known} for chain ${chainId}.`)
}
