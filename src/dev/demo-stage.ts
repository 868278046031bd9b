/** What the demo's chapters share: the people, and how the story is printed. */
import { parseAbi } from 'viem'
import { say } from '#platform/terminal.ts'
import { TOKEN_DECIMALS, TOKEN_SYMBOL, toDecimal } from '#platform/token.ts'
import type { DemoService, DemoWallet, Person } from './demo-client.ts'

export const USDC = 10n ** BigInt(TOKEN_DECIMALS)

export const usdc = (baseUnits: bigint | string): string =>
  `${toDecimal(BigInt(baseUnits), TOKEN_DECIMALS)} ${TOKEN_SYMBOL}`

export const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function deposit(uint256 amount)',
])

export type Stage = {
  about: DemoService
  /** Of every operation in the organization. */
  path: { organizationId: string }
  owner: Person
  manager: Person
  director: Person
  employee: Person
  ownerWallet: DemoWallet
  /** The manager's, and the director's for the second signature. */
  approverWallet: DemoWallet
  directorWallet: DemoWallet
  supplier: DemoWallet
}

/** The vault and the recipient of every expense in the story. */
export type Payee = { vaultId: string; recipientId: string }

let chapter = 0
export const print = (line: string): void => say(`     ${line}`)
export function printChapter(title: string): void {
  chapter += 1
  say(`\n ${String(chapter).padStart(2)}. ${title}`)
}
