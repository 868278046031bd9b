/** What closes a month: exports as a bookkeeper opens them, and the chain to compare them with. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { parseAbiItem, parseUnits } from 'viem'
import { expect } from 'vitest'
import { makeFolder, runScript } from '#test/processes/processes.ts'
import { download } from './attachments.ts'
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

type Transfer = { transactionHash: string; to: string; amount: bigint }

/** What a line of the plain export says. */
export const transferOf = (line: Line): Transfer => ({
  transactionHash: line.transaction_hash ?? '',
  to: line.recipient_address ?? '',
  amount: unitsOf(line.amount),
})

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

/** By transaction hash. */
export const inOrder = (list: readonly Transfer[]): Transfer[] =>
  list.toSorted((a, b) => a.transactionHash.localeCompare(b.transactionHash))

type SpendingGroup = { key: string; label: string; amount: bigint; count: number }

/** `GET {org}/spending`, with amounts that can be added. */
export async function spendingBy(
  company: Company,
  {
    by,
    period,
    reader,
  }: {
    by: 'category' | 'recipient' | 'member' | 'vault' | 'month'
    period: string
    reader: Colleague
  },
) {
  const { body } = await read(company, `spending?${period}&by=${by}`, reader)
  const groups: SpendingGroup[] = body.groups.map(
    ({ amountBaseUnits, ...group }: { amountBaseUnits: string }) => ({
      ...group,
      amount: BigInt(amountBaseUnits),
    }),
  )
  return { groups, total: { amount: BigInt(body.total), count: body.count } }
}

export const totalOfGroups = (groups: readonly SpendingGroup[]) => ({
  amount: sum(groups.map(({ amount }) => amount)),
  count: groups.reduce((total, { count }) => total + count, 0),
})

/** The receipts of the expense and the evidence of the payment that a line names. */
export async function recordsBehind(
  company: Company,
  { line = {}, by }: { line: Line | undefined; by: Colleague },
) {
  const { body } = await read(company, `expenses/${line.expense_id}`, by)
  const receipts: Buffer[] = []
  for (const { id } of body.revision.attachments) {
    const { person } = by
    receipts.push((await download(company.treasury.service, company, { id, person })).bytes)
  }
  const { evidence } = (await read(company, `payments/${line.payment_id}`, by)).body
  return { receipts, evidence }
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
