import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main as audit } from '#cli/audit.ts'
import { main as funding } from '#cli/funding.ts'
import { main } from '#cli/operator.ts'
import { commandHere } from '#test/processes/commands.ts'
import {
  cleanUp,
  type Environment,
  makeFolder,
  processesOf,
  runNpm,
  runScript,
} from '#test/processes/processes.ts'
import { ask, expectStops, makePlace, type Service, startService } from '#test/processes/service.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let env: Environment

beforeAll(async () => {
  env = { DATA_DIR: await makeFolder() }
})
afterAll(cleanUp)

type Said = { code: number | null; stdout: string; stderr: string }

async function command(name: string, args: string[], environment = env): Promise<Said> {
  const running = runScript(`src/cli/${name}.ts`, environment, args)
  const { code } = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

const said = (stdout: string): Said => ({ code: 0, stdout: `${stdout}\n`, stderr: '' })

const issued = async ({ helper }: Service, realm: 'consumer' | 'admin', subject: string) =>
  (await ask('POST', `${helper}/token`, { body: { realm, subject } })).body

describe('npm run operator, with no service running', () => {
  test('grants and lists in the embedded database, and leaves no process', async () => {
    const granted = await runNpm(['run', '-s', 'operator', '--', 'grant', 'boss'], env)
    expect(await granted.ended).toEqual({ code: 0, signal: null })
    expect(granted.stdout()).toBe('boss is now an operator.\n')
    const listed = await command('operator', ['list'])
    expect(listed.stdout).toMatch(/^boss {2}active {2}granted [\dT:.-]+Z {2}\(\S+\)\n$/)
    await vi.waitFor(async () => expect(await processesOf(env.DATA_DIR ?? '')).toEqual([]), 30_000)
  })

  test('stops its database when it is interrupted', async () => {
    const folder = env.DATA_DIR ?? ''
    const interrupted = async () => {
      const running = runScript('src/cli/operator.ts', env, ['list'])
      const started = vi.waitFor(() => access(join(folder, 'postgres', 'postmaster.pid')), 60_000)
      await Promise.race([started, running.ended])
      running.kill('SIGINT')
      return running.ended
    }
    let ended = await interrupted()
    // A command that finished before the signal proves nothing.
    while (ended.code === 0) ended = await interrupted()
    expect(ended).toEqual({ code: 130, signal: null })
    await vi.waitFor(async () => expect(await processesOf(folder)).toEqual([]), 30_000)
  })
})

describe('the command line, with the service running', () => {
  let service: Service

  beforeAll(async () => {
    service = await startService(await makePlace())
  })

  const here = () => service.place.env

  test('a granted operator is admitted immediately, and a revoked one is not', async () => {
    const { accessToken: token } = await issued(service, 'admin', 'night shift')
    const me = () => ask('GET', `${service.api}/v1/admin/me`, { token })
    expect((await me()).body.error.code).toBe('operator_required')
    const operator = (...args: string[]) => commandHere(main, args, here())
    expect(await command('operator', ['grant', 'night shift'], here())).toEqual(
      said('night shift is now an operator.'),
    )
    expect(await operator('grant', 'night shift')).toEqual(
      said('night shift is already an operator.'),
    )
    expect(await me()).toMatchObject({ status: 200, body: { active: true } })
    expect(await operator('revoke', 'night shift')).toEqual(
      said('night shift is no longer an operator.'),
    )
    expect(await operator('revoke', 'night shift')).toEqual(said('night shift is not an operator.'))
    expect((await operator('list')).stdout).toMatch(
      /^night shift {2}revoked {2}revoked [\dT:.-]+Z {2}\(\S+\)$/m,
    )
    const refused = await me()
    expect(refused.status).toBe(403)
    expect(refused.body.error.code).toBe('operator_required')
  })

  test('a disabled account is refused immediately, and an enabled one is admitted', async () => {
    const { accessToken: token, identityToken } = await issued(service, 'consumer', 'somebody')
    const { api } = service
    const body = { identityToken }
    const session = await ask('PUT', `${api}/v1/consumer/session`, { token, body })
    const { id } = session.body.account
    const me = async () => (await ask('GET', `${api}/v1/consumer/me`, { token })).body.account
    const organizations = () => ask('GET', `${api}/v1/consumer/organizations`, { token })

    expect(await command('account', ['disable', id], here())).toEqual(
      said('The account is disabled.'),
    )
    expect(await me()).toMatchObject({ id, status: 'disabled' })
    const refused = await organizations()
    expect(refused.status).toBe(401)
    expect(refused.body.error.code).toBe('account_disabled')
    expect(await command('account', ['disable', id], here())).toEqual(
      said('The account is already disabled.'),
    )
    expect(await command('account', ['enable', id], here())).toEqual(
      said('The account is enabled.'),
    )
    expect(await me()).toMatchObject({ id, status: 'active' })
    expect((await organizations()).status).toBe(200)
  })

  test('an unknown account is reported in one line', async () => {
    const id = '01890000-0000-7000-8000-000000000000'
    expect(await command('account', ['disable', id], here())).toEqual({
      code: 1,
      stdout: '',
      stderr: `Account ${id} does not exist.\n`,
    })
  })

  test('npm start refuses the data folder of the service in one line', async () => {
    const { folder } = service.place
    const ports = { PORT: '0', DEV_PORT: '0', DEV_CHAIN_PORT: '0' }
    const second = runScript('src/dev/start.ts', { ...here(), ...ports })
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.stdout()).toBe('')
    expect(second.stderr()).toMatch(/^[^\n]+\n$/)
    expect(second.stderr()).toContain(`The data folder ${folder} is in use by a running service.`)
  })

  test('all this leaves the service and its database running', async () => {
    expect((await ask('GET', `${service.api}/health/ready`)).status).toBe(200)
    const audit = await command('audit', ['verify'], here())
    expect(audit.code).toBe(0)
    expect(audit.stdout).toMatch(/^The audit trail verifies: \d+ events in 1 chain\.\n$/)
    await expectStops(service, () => service.kill('SIGTERM'))
    expect(service.stderr()).toBe('')
  })
})

describe.concurrent('the command line refuses in one line', () => {
  const usage = (name: string) => ({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^Usage: npm run ${name} -- [^\\n]+\\n$`)),
  })

  test.each([
    ['operator', []],
    ['account', ['disable', 'not-an-id']],
  ])('%s %j', async (name, args) => {
    expect(await command(name, args)).toEqual(usage(name))
  })

  test.each([
    ['operator', ['grant', 'a', 'b'], main],
    ['operator', ['list', 'all'], main],
    ['audit', ['head', 'one', 'two'], audit],
    ['funding', ['end', 'action'], funding],
  ] as const)('%s %j', async (name, args, mainOf) => {
    expect(await commandHere(mainOf, [...args], env)).toEqual(usage(name))
  })

  test('an invalid subject', async () => {
    const { code, stderr } = await commandHere(main, ['grant', 'tab\there'], env)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^A subject must be [^\n]+\n$/)
  })

  test('a data folder below a file', async () => {
    const file = join(await makeFolder(), 'file')
    await writeFile(file, '')
    const { code, stderr } = await commandHere(main, ['list'], { DATA_DIR: join(file, 'below') })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Cannot create the data folder [^\n]+: not a folder\.\n$/)
  })

  test('production without any configuration', async () => {
    const { code, stderr } = await commandHere(audit, ['verify'], { NODE_ENV: 'production' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Set DATABASE_URL, SERVER_SECRET, [^\n]+\n$/)
  })
})
