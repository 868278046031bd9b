/** `npm run verify` checks a downloaded payment without the service. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { lowerCased } from '#platform/values.ts'
import { cleanUp, makeFolder, runScript } from '#test/processes/processes.ts'
import type { Answer } from '#test/support/app.ts'
import { pdf, uploaded } from '#test/support/attachments.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  readPayment,
  submitAutomatic,
  untilState,
} from '#test/support/payments.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

type Bundle = Answer['body']

let treasury: Treasury
let house: PayingHouse
let folder: string
let approved: Bundle
let automatic: Bundle
/** The files of the signed payment. */
let receipts: Buffer[]

beforeAll(async () => {
  folder = await makeFolder()
  treasury = await startTreasury()
  house = await openPayingHouse(treasury)
  const expense = await awaitingApproval(house, await documented())
  await approve(house, expense)
  await untilState(house, expense.id, 'paid')
  approved = await readPayment(house, expense.paymentId)
  const unattended = await submitAutomatic(house)
  await untilState(house, unattended.id, 'paid')
  automatic = await readPayment(house, unattended.paymentId)
})
afterAll(async () => {
  await treasury.stop()
  await cleanUp()
})

/** Two receipts, a category, a reference and a due date. */
async function documented() {
  const { service } = treasury
  const body = { categories: [{ code: '6670', name: 'Travel' }] }
  await service.call('PUT', `${house.path}/categories`, { token: house.owner.token, body })
  receipts = [pdf('first'), pdf('second')]
  const attachmentIds: string[] = []
  for (const bytes of receipts) {
    attachmentIds.push((await uploaded(service, house, { person: house.employee, bytes })).id)
  }
  return { attachmentIds, category: '6670', reference: 'INV-17', dueDate: '2099-12-31' }
}

let files = 0

async function fileOf(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

/** Without a database and configuration. */
async function verify(content: string | Buffer | Bundle, ...more: string[]) {
  files += 1
  const path = join(folder, `bundle-${files}.json`)
  const isRaw = typeof content === 'string' || Buffer.isBuffer(content)
  await writeFile(path, isRaw ? content : JSON.stringify(content))
  const running = runScript('src/cli/verify.ts', {}, [path, ...more])
  const { code } = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

describe('npm run verify', () => {
  test.each([
    ['signed', () => approved],
    ['automatic', () => automatic],
  ])(
    'exits with 3 offline and 0 with a node and every pin for a payment that was %s',
    async (_name, of) => {
      const offline = await verify(of())
      expect([offline.code, offline.stderr]).toEqual([3, ''])
      expect(offline.stdout).toContain('CONSISTENT with itself. To verify the chain too')
      expect(offline.stdout).toContain('not checked: that the block is canonical and final')
      expect(offline.stdout).toContain("not pinned: the vault's owner (--owner ADDRESS)")
      const pinned = await verify(of().evidence, ...['--rpc', treasury.chain.rpcUrl], ...pins())
      expect([pinned.code, pinned.stderr]).toEqual([0, ''])
      expect(pinned.stdout).toContain('VERIFIED: the chain confirms the evidence.')
      expect(pinned.stdout).not.toContain('not pinned')
    },
  )

  const pins = () => [
    ...['--vault', house.vault.address, '--owner', house.ownerWallet.address],
    ...['--organization-hash', approved.evidence.payment.organizationHash],
    ...['--token', treasury.chain.tokenAddress.toLowerCase(), '--confirmations', '1'],
  ]

  test('compares files with the attachments, offline and with a node', async () => {
    const [first = '', second = ''] = await Promise.all(
      receipts.map((bytes, n) => fileOf(`mine-${n + 1}.pdf`, bytes)),
    )
    const both = await verify(approved, '--file', second, '--file', first)
    expect(both.code).toBe(3)
    expect(both.stdout).toContain('ok   file mine-1.pdf: is attachment 1')
    expect(both.stdout).toContain('ok   file mine-2.pdf: is attachment 2')
    expect(both.stdout).not.toContain('the bytes of attachment')
    const one = await verify(approved, '--file', first, '--rpc', treasury.chain.rpcUrl, ...pins())
    expect(one.code).toBe(0)
    expect(one.stdout).toContain('ok   file mine-1.pdf: is attachment 1')
    expect(one.stdout).toContain('not checked: the bytes of attachment 2 ("receipt.pdf", sha256 ')
  })

  test('exits with 1 and names a file that is no attachment', async () => {
    const other = await fileOf('other.pdf', pdf('third'))
    for (const node of [[], ['--rpc', treasury.chain.rpcUrl]]) {
      const { code, stderr } = await verify(approved, '--file', other, ...node)
      expect(code).toBe(1)
      expect(stderr).toContain("NO   file other.pdf: is none of the revision's 2 attachments")
    }
    const { code } = await verify(approved, '--file', join(folder, 'none.pdf'))
    expect(code).toBe(2)
  })

  test('exits with 1 and names a pin that differs', async () => {
    const { address } = house.approverWallet
    const node = ['--rpc', treasury.chain.rpcUrl]
    for (const [pin, value] of [
      ['owner', address],
      ['vault', address],
      ['token', address],
    ] as const) {
      const { code, stderr } = await verify(approved, ...node, `--${pin}`, value)
      expect(code).toBe(1)
      expect(stderr).toContain(`NO   pin: ${pin}: stated ${address}`)
    }
  })

  test('exits with 4 without a verdict for an unreachable node, and hides its URL', async () => {
    const url = 'http://127.0.0.1:9/secret-key'
    const { code, stdout, stderr } = await verify(approved, '--rpc', url)
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('did not answer, so there is no verdict')
    expect(stderr).not.toContain('secret-key')
  })

  /** The check that must fail for each field that is covered. */
  const fields: [path: string, link: string][] = [
    ['revision.organizationId', 'revision hash from its fields'],
    ['revision.expenseId', 'revision hash from its fields'],
    ['revision.revision', 'revision hash from its fields'],
    ['revision.vaultId', 'revision hash from its fields'],
    ['revision.chainId', 'revision hash from its fields'],
    ['revision.purpose', 'revision hash from its fields'],
    ['revision.amountBaseUnits', 'revision hash from its fields'],
    ['revision.recipientAddress', 'revision hash from its fields'],
    ['revision.vaultAddress', 'revision hash from its fields'],
    ['revision.tokenAddress', 'revision hash from its fields'],
    ['revision.attachments.0.sha256', 'revision hash from its fields'],
    ['revision.attachments.1.sha256', 'revision hash from its fields'],
    ['revision.category', 'revision hash from its fields'],
    ['revision.reference', 'revision hash from its fields'],
    ['revision.dueDate', 'revision hash from its fields'],
    ['revision.versionHash', 'revision hash from its fields'],
    ['report.reportHash', 'report hash from its output'],
    ['report.output.riskScore', 'report hash from its output'],
    ['policy.version', 'asked: policy version'],
    ['approval.id', 'digest from what was to be signed'],
    ['approval.approverAddress', 'digest from what was to be signed'],
    ['approval.digest', 'digest from what was to be signed'],
    ['approval.signature', "signature by the approver's key"],
    ['approval.typedData.message.amount', 'what was shown to be signed'],
    ['approval.typedData.domain.chainId', 'what was shown to be signed'],
    ['payment.id', 'payment id on the chain from the payment'],
    ['payment.organizationHash', 'payment id on the chain from the payment'],
    ['payment.chainPaymentId', 'payment id on the chain from the payment'],
    ['payment.deadline', 'digest from what was to be signed'],
    ...[
      ...['vaultAddress', 'chainPaymentId', 'recipientAddress', 'amountBaseUnits'],
      ...['policyVersion', 'reportHash', 'expenseVersionHash', 'approvalDigest', 'approverAddress'],
    ].flatMap((name): [string, string][] => [
      [`asked.${name}`, "the vault's log says what was asked"],
      [`event.${name}`, "the vault's log says what was asked"],
    ]),
  ]

  const next = (value: unknown): unknown => {
    if (typeof value === 'number') return value + 1
    // In lower case, because a changed address has another checksum.
    const text = /^0x[0-9a-f]{40}$/i.test(String(value)) ? lowerCased(String(value)) : String(value)
    if (/^\d{4}-\d\d-\d\dT/.test(text))
      return text.replace(/\d(?=\.\d{3}Z$)/, (d) => String((Number(d) + 1) % 10))
    if (/^\d+$/.test(text)) return (BigInt(text) + 1n).toString()
    const last = text.slice(-1)
    const digit = Number.parseInt(last, 16)
    return `${text.slice(0, -1)}${Number.isNaN(digit) ? 'x' : ((digit + 1) % 16).toString(16)}`
  }

  function changedAt(bundle: Bundle, path: string): Bundle {
    const evidence = structuredClone(bundle.evidence)
    const names = path.split('.')
    const last = names.pop() ?? ''
    const place = names.reduce((part, name) => part[name], evidence)
    expect(place, path).toHaveProperty(last)
    place[last] = next(place[last])
    return { ...bundle, evidence }
  }

  test('detects every field changed by one and names the failed check', async () => {
    // In process, because the command is one call of this and processes would take minutes.
    const { verifyEvidence } = await import('@countersign/proof/verify-evidence.ts')
    for (const [path, link] of fields) {
      const { evidence } = changedAt(approved, path)
      const broken = (await verifyEvidence(evidence)).filter(({ holds }) => !holds)
      expect(
        broken.map((finding) => finding.link),
        path,
      ).toContain(link)
    }
  })

  test.each([
    ['revision.amountBaseUnits', 'NO   revision hash from its fields: stated 0x'],
    ['approval.signature', "NO   signature by the approver's key"],
    [
      'event.recipientAddress',
      "NO   the vault's log says what was asked: differs in recipientAddress",
    ],
  ])('exits with 1 and names the failed check when %s is changed by one', async (path, line) => {
    const { code, stdout, stderr } = await verify(changedAt(approved, path))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(line)
    expect(stderr).toContain('REFUSED: the evidence does not hold.')
  })

  test.each(['transactionHash', 'blockHash', 'blockNumber'])(
    'detects another %s of the log from the chain',
    async (name) => {
      const changed = changedAt(approved, `event.${name}`)
      const { code, stderr } = await verify(changed, '--rpc', treasury.chain.rpcUrl)
      expect(code).toBe(1)
      expect(stderr).toContain('NO   chain: ')
    },
  )

  test('refuses a payment that is not paid yet', async () => {
    const unpaid = { ...approved, evidence: { ...approved.evidence, event: null, matches: false } }
    const { code, stderr } = await verify(unpaid)
    expect(code).toBe(1)
    expect(stderr).toContain("NO   the vault's log: not paid yet, or not final")
  })

  test.each([
    ['invalid JSON', 'not json at all', 'is not valid JSON.'],
    ['null', 'null', 'evidence must be an object'],
    ['another version', '{"hello":"world"}', 'evidence.version must be 1'],
    ['a skeleton', '{"version":1}', 'evidence.revision must be an object'],
    ['a duplicate key', '{"version":1,"version":1}', 'it has a duplicate key'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'is not valid JSON.'],
    ['deep nesting', '['.repeat(500) + ']'.repeat(500), 'is nested too deeply'],
  ])('exits with 2 and no stack for %s', async (_name, content, said) => {
    const { code, stdout, stderr } = await verify(content)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(said)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('exits with 2 and no stack for a number without canonical JSON', async () => {
    const text = JSON.stringify(approved).replace(/"riskScore":\d+/, '"riskScore":1e999')
    const { code, stderr } = await verify(text)
    expect(code).toBe(2)
    expect(stderr).toContain('contains a value that cannot be encoded or hashed')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test.each([
    ['no file', [], 'Usage: npm run verify'],
    ['a missing file', ['none.json'], 'Cannot read the file'],
    ['an unknown option', ['a.json', '--node', 'x'], "Unknown option '--node'"],
    ['a pin that is not an address', ['a.json', '--vault', '0x12'], '--vault must be an address'],
    ['a malformed hash', ['a.json', '--organization-hash', '0x12'], '64 hex digits'],
    ['a node that is not a URL', ['a.json', '--rpc', 'ftp://x'], '--rpc must be an http'],
    ['zero confirmations', ['a.json', '--confirmations', '0'], 'a positive integer'],
  ])('exits with 2 for %s', async (_name, args, said) => {
    const running = runScript('src/cli/verify.ts', {}, args)
    expect((await running.ended).code).toBe(2)
    expect(running.stderr()).toContain(said)
    expect(running.stderr()).not.toMatch(/^\s+at /m)
  })
})
