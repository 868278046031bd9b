/** What closes a month: exports as a bookkeeper opens them, and the chain to compare them with. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { type Address, parseAbiItem, parseUnits } from 'viem'
import { expect } from 'vitest'
import { makeFolder, runScript } from '#test/processes/processes.ts'
import { type Colleague, type Company, read } from './finance-month.ts'
import type { PayingHouse } from './payments.ts'
import { outcome } from './steps.ts'

type Line = Record<string, string>

export async function exportLines(
  company: Company,
  { what, by }: { what: string; by: Colleague },
): Promise<Line[]> {
  const answer = await read(company, `exports/${what}`, by)
  expect(outcome(answer)).toBe('200')
  return parse(answer.text, { columns: true, recordDelimiter: '\r\n' }) as Line[]
}

type Transfer = { transactionHash: string; to: Address; amount: bigint }

/** What the token itself logged, independently of the service. */
export async function transfersFrom({
  vault,
  treasury: { chain },
}: PayingHouse): Promise<Transfer[]> {
  const logs = await chain.client.getLogs({
    address: chain.tokenAddress,
    event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
    args: { from: vault.address },
    fromBlock: 0n,
    strict: true,
  })
  return logs.map(({ transactionHash, args }) => ({
    transactionHash,
    to: args.to,
    amount: args.value,
  }))
}

export const gasOf = ({ executor, treasury: { chain } }: PayingHouse): Promise<bigint> =>
  chain.client.getBalance({ address: executor })

export const sum = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((total, amount) => total + amount, 0n)

/** '-12.34' in base units, exactly. */
export const unitsOf = (decimal: string | undefined, decimals = 6): bigint =>
  parseUnits(decimal ?? '', decimals)

/** Runs `npm run audit -- verify FILE` on an export. */
export async function verifyOffline(exported: string, args: readonly string[]) {
  const path = join(await makeFolder(), 'audit.jsonl')
  await writeFile(path, exported)
  const running = runScript('src/cli/audit.ts', {}, ['verify', path, ...args])
  const { code } = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}
