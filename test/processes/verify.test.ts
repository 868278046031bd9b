/** `npm run verify`: a downloaded payment, checked without the service. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp, makeFolder, runScript } from '#test/processes/processes.ts'
import type { Answer } from '#test/support/app.ts'
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

beforeAll(async () => {
  folder = await makeFolder()
  treasury = await startTreasury()
  house = await openPayingHouse(treasury)
  const expense = await awaitingApproval(house)
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

let files = 0

/** Neither a database nor a configuration is there. */
async function verify(content: string | Bundle, ...more: string[]) {
  files += 1
  const path = join(folder, `bundle-${files}.json`)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  const running = runScript('src/cli/verify.ts', {}, [path, ...more])
  const { code } = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

describe('npm run verify', () => {
  test.each([
    ['signed', () => approved],
    ['automatic', () => automatic],
  ])('a real payment that was %s holds, offline and beside the chain', async (_name, bundle) => {
    const offline = await verify(bundle())
    expect(offline.stderr).toBe('')
    expect(offline.code).toBe(0)
    expect(offline.stdout).toContain('The evidence holds.')
    const { rpcUrl } = treasury.chain
    const beside = await verify(bundle().evidence, '--rpc', rpcUrl)
    expect(beside.code).toBe(0)
    expect(beside.stdout).toContain('ok   the log on the chain: as in the bundle')
  })

  /** The link that must say so, for each field that a link is made of. */
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
    const text = String(value)
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

  test('every field changed by one is noticed, and the link is named', async () => {
    // A process for each would take minutes: the command is one call of this.
    const { verifyEvidence } = await import('#payments/verify-evidence.ts')
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
  ])('%s changed by one: code 1, naming the link', async (path, line) => {
    const { code, stdout, stderr } = await verify(changedAt(approved, path))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(line)
    expect(stderr).toContain('The evidence does NOT hold.')
  })

  test.each(['transactionHash', 'blockHash', 'blockNumber'])(
    'another %s of the log is noticed beside the chain',
    async (name) => {
      const changed = changedAt(approved, `event.${name}`)
      const { code, stderr } = await verify(changed, '--rpc', treasury.chain.rpcUrl)
      expect(code).toBe(1)
      expect(stderr).toContain('NO   the log on the chain')
    },
  )

  test('a payment that is not paid yet does not hold', async () => {
    const unpaid = { ...approved, evidence: { ...approved.evidence, event: null, matches: false } }
    const { code, stderr } = await verify(unpaid)
    expect(code).toBe(1)
    expect(stderr).toContain("NO   the vault's log: not paid yet, or not final")
  })

  test.each([
    ['no JSON', 'not json at all', 'is not the JSON of a payment'],
    ['null', 'null', 'is not the JSON of a payment'],
    ['something else', '{"hello":"world"}', 'is not the JSON of a payment'],
    ['a skeleton', '{"version":1}', 'does not hold together'],
  ])('%s is refused in one line: code 1', async (_name, content, said) => {
    const { code, stdout, stderr } = await verify(content)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(said)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('a file that is not there, and a wrong call, are said so', async () => {
    const missing = runScript('src/cli/verify.ts', {}, [join(folder, 'none.json')])
    expect((await missing.ended).code).toBe(1)
    expect(missing.stderr()).toContain('There is no readable file')
    const wrong = runScript('src/cli/verify.ts', {}, [])
    expect((await wrong.ended).code).toBe(1)
    expect(wrong.stderr()).toContain('Usage: npm run verify')
  })
})
