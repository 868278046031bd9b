/** `npm run audit -- verify FILE` checks an export with neither a database nor a configuration. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '#cli/audit.ts'
import { commandHere } from '#test/processes/commands.ts'
import { cleanUp, makeFolder } from '#test/processes/processes.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { addRecipient } from '#test/support/steps.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let service: TestApp
let organization: Organization
let folder: string
let exported: string
/** After the export's own event. */
let head: { sequence: number; hash: string }

beforeAll(async () => {
  folder = await makeFolder()
  service = await startTestApp()
  organization = await createOrganization(service)
  await addRecipient(service, organization)
  const { token } = organization.owner
  const { path } = organization
  exported = (await service.call('GET', `${path}/exports/audit.jsonl`, { token })).text
  head = (await service.call('GET', `${path}/audit-head`, { token })).body
  await service.stop()
})
afterAll(cleanUp)

let files = 0

async function fileWith(content: string): Promise<string> {
  files += 1
  const path = join(folder, `audit-${files}.jsonl`)
  await writeFile(path, content)
  return path
}

async function verify(content: string, ...more: string[]) {
  return verifyPath(await fileWith(content), ...more)
}

const verifyPath = (...args: string[]) => commandHere(main, ['verify', ...args])

const kept = () => `${head.sequence}:${head.hash}`

describe('npm run audit -- verify FILE', () => {
  test('says what it checked, and what it cannot show without a kept head', async () => {
    const { code, stdout, stderr } = await verify(exported)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`organization ${organization.id}: events 1 to ${head.sequence}, from`)
    expect(stdout).toContain('ok   every event has the digest of its fields')
    expect(stdout).toContain('not shown: that the service wrote the file')
    expect(stdout).toContain(`not shown: that nothing was recorded after event ${head.sequence}`)
    expect(stdout).toMatch(/\nCONSISTENT with itself.*pass --head SEQUENCE:HASH\.\n$/)
  })

  test('verifies against a kept head, with and without its organization', async () => {
    const heads = await fileWith(`# Monday\nservice:9:${head.hash}\n${organization.id}:${kept()}\n`)
    for (const given of [kept(), `${organization.id}:${kept()}`, heads]) {
      const { code, stdout } = await verify(exported, '--head', given)
      expect([given, code]).toEqual([given, 0])
      expect(stdout).toContain(`ok   events 1 to ${head.sequence} are those of the kept head`)
      expect(stdout).toMatch(/\nVERIFIED: .*\n$/)
    }
  })

  test('exits with 1 for a forged file and says what is wrong with it', async () => {
    const lines = exported.trimEnd().split('\n')
    const cut = `${lines.slice(0, -2).join('\n')}\n`
    const forged: [string, string[], string][] = [
      [exported.replace('Acme Supplies', 'Mallory Ltd'), [], 'line 3, event 3: it was changed'],
      [exported.replace(`${lines[1]}\n`, ''), [], 'line 2, event 3: event 2 is missing'],
      [cut, [], 'the file was cut: its last line must be the head of the trail'],
      [exported, ['--head', `99:${head.hash}`], 'event 99: the file ends at event'],
      [
        exported,
        ['--organization', crypto.randomUUID()],
        `it belongs to organization ${organization.id}`,
      ],
    ]
    for (const [content, more, problem] of forged) {
      const { code, stdout, stderr } = await verify(content, ...more)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(`NO   `)
      expect(stderr).toContain(problem)
      expect(stderr).toMatch(/\nREFUSED: .*\n$/)
    }
  })

  test('shows twenty problems and counts the others', async () => {
    const { stderr } = await verify('x\n'.repeat(50))
    expect(stderr.match(/^NO {3}line/gm)).toHaveLength(20)
    expect(stderr).toContain('NO   and 31 more')
  })

  test('exits with 2 for a missing file and for an id that is none', async () => {
    const missing = join(folder, 'nothing.jsonl')
    expect(await verifyPath(missing)).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot read the file ${missing}.\n`,
    })
    const wrong = await verify(exported, '--organization', 'acme')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--organization must')])
  })

  test('exits with 2 for wrong arguments, whatever the file is', async () => {
    const args = [['--rpc', 'http://localhost:1'], ['another.jsonl'], ['--unknown'], ['--head']]
    for (const more of args) {
      const { code, stdout, stderr } = await verify(exported, ...more)
      expect([more, code, stdout]).toEqual([more, 2, ''])
      expect(stderr).toMatch(/^Usage: npm run audit -- verify/)
    }
  })

  test('exits with 2 for kept heads that cannot be read', async () => {
    const missing = join(folder, 'heads.txt')
    const absent = await verify(exported, '--head', missing)
    expect([absent.code, absent.stderr]).toEqual([
      2,
      `${missing} is neither a head (SEQUENCE:HASH) nor a readable file.\n`,
    ])
    const malformed = await verify(exported, '--head', await fileWith(`${kept()}\nMonday\n`))
    expect([malformed.code, malformed.stderr]).toEqual([
      2,
      expect.stringContaining('has a line that is not a head: Monday'),
    ])
  })
})
