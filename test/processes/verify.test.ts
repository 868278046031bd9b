/** `npm run verify` checks a downloaded payment without the service. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '#cli/verify.ts'
import { withChangedField } from '#test/evidence/changed-field.ts'
import { commandHere } from '#test/processes/commands.ts'
import { cleanUp, makeFolder, runScript } from '#test/processes/processes.ts'
import { pdf } from '#test/support/attachments.ts'
import { paid } from '#test/support/evidence.ts'
import {
  activate,
  openPayer,
  openVault,
  type Payer,
  type PayingVault,
  policyOf,
  propose,
  tieredBy,
  waitUntil,
} from '#test/support/paying-vaults.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

/** As `GET …/payments/{paymentId}` returns it, as far as the command reads it. */
type Bundle = { evidence: Evidence }

let payer: Payer
let vault: PayingVault
let folder: string
/** Signed by two, under a policy that has waited, in a period with caps. */
let approved: Bundle
let automatic: Bundle
/** The files of the signed payment. */
const receipts: Buffer[] = [pdf('first'), pdf('second')]

beforeAll(async () => {
  folder = await makeFolder()
  payer = await openPayer()
  const first = await openVault(payer, { changeDelaySeconds: 3_600 })
  const period = { periodSeconds: 86_400, periodCap: 5_000n, automaticPeriodCap: 1_000n }
  const policy = policyOf(payer, { ...tieredBy(payer), ...period })
  const proposal = await propose(payer, first, policy)
  await waitUntil(payer, proposal.activatesAtSeconds)
  vault = await activate(payer, first, { policy, proposal })
  approved = { evidence: await paid(payer, vault, { details: documented() }) }
  const terms = { mode: 'automatic', amount: 300n } as const
  automatic = { evidence: await paid(payer, vault, terms) }
})
afterAll(async () => {
  await payer.chain.stop()
  await cleanUp()
})

/** Two receipts, a category, a reference and a due date. */
const documented = () => ({
  attachments: receipts.map((bytes) => ({
    name: 'receipt.pdf',
    mediaType: 'application/pdf',
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })),
  category: '6670',
  reference: 'INV-17',
  dueDate: '2099-12-31',
})

let files = 0

async function fileOf(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

/** Without a database and configuration. */
async function verify(content: string | Buffer | Bundle | Evidence, ...more: string[]) {
  files += 1
  const path = join(folder, `bundle-${files}.json`)
  const isRaw = typeof content === 'string' || Buffer.isBuffer(content)
  await writeFile(path, isRaw ? content : JSON.stringify(content))
  return commandHere(main, [path, ...more])
}

describe('npm run verify', () => {
  test('is a process that prints this and exits with this code', async () => {
    const path = await fileOf('approved.json', Buffer.from(JSON.stringify(approved)))
    for (const args of [[path], [path, '--rpc', payer.chain.rpcUrl, ...pins()], []]) {
      const running = runScript('src/cli/verify.ts', {}, args)
      const { code } = await running.ended
      const said = { code, stdout: running.stdout(), stderr: running.stderr() }
      expect(said).toEqual(await commandHere(main, args))
    }
  })

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
      const pinned = await verify(of().evidence, ...['--rpc', payer.chain.rpcUrl], ...pins())
      expect([pinned.code, pinned.stderr]).toEqual([0, ''])
      expect(pinned.stdout).toContain('VERIFIED: the chain confirms the evidence.')
      expect(pinned.stdout).not.toContain('not pinned')
    },
  )

  test('names signatures, proposal, recipient and period of a payment', async () => {
    const { stdout } = await verify(approved, '--rpc', payer.chain.rpcUrl)
    for (const line of [
      'ok   as many signatures as the amount needs: 2 of 2',
      'ok   chain: the policy waited: at least 3600 seconds, until ',
      'ok   chain: the recipient was allowed: from ',
      'ok   chain: as many approvers as the amount needs: 2 of 2',
      'ok   chain: within the lifetime cap: 700 of at most 1000000',
      'ok   chain: within the period: 700 of at most 5000, ',
    ]) {
      expect(stdout).toContain(line)
    }
    const later = await verify(automatic, '--rpc', payer.chain.rpcUrl)
    expect(later.stdout).toContain('ok   chain: within the period: 1000 of at most 5000, ')
    expect(later.stdout).toContain('within the period: 300 of at most 1000')
  })

  test('exits with 1 for a bundle without its second signature', async () => {
    const { evidence } = approved
    const forged = { evidence: { ...evidence, approvals: evidence.approvals.slice(0, 1) } }
    const { code, stderr } = await verify(forged, '--rpc', payer.chain.rpcUrl)
    expect(code).toBe(1)
    expect(stderr).toContain('NO   as many signatures as the amount needs: 1 of 2')
  })

  const pins = () => [
    ...['--vault', vault.address, '--owner', payer.owner.address],
    ...['--organization-hash', approved.evidence.payment.organizationHash],
    ...['--token', payer.chain.tokenAddress.toLowerCase(), '--confirmations', '1'],
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
    const one = await verify(approved, '--file', first, '--rpc', payer.chain.rpcUrl, ...pins())
    expect(one.code).toBe(0)
    expect(one.stdout).toContain('ok   file mine-1.pdf: is attachment 1')
    expect(one.stdout).toContain('not checked: the bytes of attachment 2 ("receipt.pdf", sha256 ')
  })

  test('exits with 1 and names a file that is no attachment', async () => {
    const other = await fileOf('other.pdf', pdf('third'))
    for (const node of [[], ['--rpc', payer.chain.rpcUrl]]) {
      const { code, stderr } = await verify(approved, '--file', other, ...node)
      expect(code).toBe(1)
      expect(stderr).toContain("NO   file other.pdf: is none of the revision's 2 attachments")
    }
    const { code } = await verify(approved, '--file', join(folder, 'none.pdf'))
    expect(code).toBe(2)
  })

  test('exits with 1 and names a pin that differs', async () => {
    const { address } = payer.approver
    const node = ['--rpc', payer.chain.rpcUrl]
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

  const changedAt = ({ evidence }: Bundle, path: string): Bundle => ({
    evidence: withChangedField(evidence, path),
  })

  test.each([
    ['revision.amountBaseUnits', 'NO   revision hash from its fields: stated 0x'],
    ['approvals.1.signature', "NO   signature by the approver's key"],
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
      const { code, stderr } = await verify(changed, '--rpc', payer.chain.rpcUrl)
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
    ['another version', '{"hello":"world"}', 'evidence.version must be 2'],
    ['a skeleton', '{"version":2}', 'evidence.revision must be an object'],
    ['a duplicate key', '{"version":2,"version":2}', 'it has a duplicate key'],
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
    const { code, stderr } = await commandHere(main, args)
    expect(code).toBe(2)
    expect(stderr).toContain(said)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})
