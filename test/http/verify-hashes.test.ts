/** docs/verify-hashes.mjs recomputes the hashes of reports and revisions from API answers. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, TestApp } from '#test/support/app.ts'
import { uploaded } from '#test/support/attachments.ts'
import {
  analyse,
  createExpense,
  type ExpenseHouse,
  openExpenseHouse,
  takeStep,
  termsOf,
} from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'

const ROOT = join(import.meta.dirname, '..', '..')

let service: TestApp
let house: ExpenseHouse
let folder: string
/** The answers as received. */
let texts: Record<'vaults' | 'expense' | 'report' | 'expenses', string>

const read = (path: string): Promise<Answer> =>
  service.call('GET', `${house.organization.path}/${path}`, {
    token: house.organization.owner.token,
  })

beforeAll(async () => {
  service = await sharedTestApp()
  folder = await mkdtemp(join(tmpdir(), 'countersign-hashes-'))
  house = await openExpenseHouse(service)
  const terms = {
    purpose: 'Café “Zürich”: 3 × lunch, 🥗\nand a "second" line \\ with \u2028 signs',
  }
  const { id } = (await createExpense(service, house, { terms })).body
  const person = house.employee
  const { id: attachmentId } = await uploaded(service, house.organization, { person })
  const details = { attachmentIds: [attachmentId], reference: 'INV-17', dueDate: '2026-12-31' }
  const body = { ...termsOf(house, details), reason: 'Another purpose.', expectedVersion: 1 }
  await takeStep(service, house, { id, step: 'revisions', person, body })
  const version = { expectedVersion: 2 }
  const submitted = await takeStep(service, house, { id, step: 'submit', person, body: version })
  await analyse(service, house, submitted.body.taskId)
  const expense = await read(`expenses/${id}`)
  texts = {
    vaults: (await read('vaults')).text,
    expense: expense.text,
    report: (await read(`reports/${expense.body.currentReportId}`)).text,
    expenses: (await read('expenses')).text,
  }
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await service.stop()
})

type Said = { code: number | null; lines: string[]; stderr: string }

/** Writes each text to a file; the last may be passed on standard input instead. */
async function verify(given: readonly string[], input?: string): Promise<Said> {
  const files = given.map((_text, index) => join(folder, `answer-${index}.json`))
  await Promise.all(files.map((file, index) => writeFile(file, given[index] ?? '')))
  const args = ['docs/verify-hashes.mjs', ...files, ...(input === undefined ? [] : ['-'])]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    ...(input !== undefined && { input }),
  })
  return { code: status, lines: stdout.split('\n').filter(Boolean), stderr }
}

const isOk = (line: string) => line.endsWith(' ok')

describe('docs/verify-hashes.mjs', () => {
  test('accepts the hashes of real answers, from files and from standard input', async () => {
    const { code, lines, stderr } = await verify([texts.vaults, texts.expense], texts.report)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // The current revision, both in the list, and the report.
    expect(lines).toHaveLength(4)
    expect(lines.every(isOk)).toBe(true)
    const { reportHash } = JSON.parse(texts.report)
    expect(lines.filter((line) => line.includes(reportHash))).toHaveLength(1)
  })

  test('reads lists too', async () => {
    const { code, lines } = await verify([texts.vaults, texts.expenses])
    expect({ code, count: lines.length }).toEqual({ code: 0, count: 1 })
  })

  type Output = Record<string, unknown> & {
    checks: unknown[]
    auditHead: { sequence: number }
  }

  test('rejects each report with a changed output and exits with 1', async () => {
    const report: { output: Output } = JSON.parse(texts.report)
    const { output } = report
    const { checks, auditHead } = output
    const earlier = { ...auditHead, sequence: auditHead.sequence - 1 }
    const changed = Object.entries({
      'another summary': { ...output, summary: 'All is well.' },
      'another score': { ...output, riskScore: 0.5 },
      'a missing check': { ...output, checks: checks.slice(1) },
      'an extra field': { ...output, note: '' },
      "another head of the organization's audit trail": { ...output, auditHead: earlier },
    })
    const files = changed.map(([, other]) => JSON.stringify({ ...report, output: other }))
    const { code, lines } = await verify(files)
    expect([code, lines.length]).toEqual([1, changed.length])
    for (const [index, [name]] of changed.entries()) {
      expect(lines[index], name).toMatch(/^report \S+ 0x[0-9a-f]{64} NO, its fields give/)
    }
  })

  test('rejects each revision with a changed field and exits with 1', async () => {
    const expense = JSON.parse(texts.expense)
    const [newest, ...older] = expense.revisions
    const changed = Object.entries({
      amountBaseUnits: '25000001',
      purpose: 'Something else',
      requestedMode: 'automatic',
      recipientAddress: `0x${'12'.repeat(20)}`,
      revision: 3,
      attachments: [],
      category: '6670',
      reference: 'INV-18',
      dueDate: null,
      versionHash: `0x${'0'.repeat(64)}`,
    })
    const files = changed.map(([field, value]) =>
      JSON.stringify({ ...expense, revisions: [{ ...newest, [field]: value }, ...older] }),
    )
    const { code, lines } = await verify([texts.vaults, ...files])
    expect([code, lines.length]).toEqual([1, 3 * changed.length])
    for (const [index, [field]] of changed.entries()) {
      const own = lines.slice(3 * index, 3 * index + 3)
      expect(own.map(isOk), field).toEqual([true, false, true])
    }
  })

  test.each([
    ['address', `0x${'12'.repeat(20)}`],
    ['tokenAddress', `0x${'12'.repeat(20)}`],
    ['chainId', 1],
  ])('rejects the hash when the vault had another %s', async (field, value) => {
    const { vaults } = JSON.parse(texts.vaults)
    const changed = JSON.stringify({ vaults: [{ ...vaults[0], [field]: value }] })
    const { code, lines } = await verify([changed, texts.expense])
    expect(code).toBe(1)
    expect(lines.some(isOk)).toBe(false)
  })

  test.each([
    ['a vault that is not given', () => [texts.expense], /Give the answer of GET …\/vaults/],
    ['an answer that is not JSON', () => ['<html>'], /cannot be read/],
    ['answers without a hash', () => [texts.vaults], /neither a report nor an expense/],
    ['no answer at all', () => [], /^Usage: /],
  ])('exits with 2 for %s', async (_name, given, message) => {
    const { code, lines, stderr } = await verify(given())
    expect({ code, lines }).toEqual({ code: 2, lines: [] })
    expect(stderr).toMatch(message)
  })
})
