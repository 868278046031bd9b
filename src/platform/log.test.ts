import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog, gathered } from './log.ts'

const CANARY = 'canary-5f1c9e'

const secretFields = [
  'authorization',
  'accessToken',
  'identityToken',
  'inviteToken',
  'mfaAssertion',
  'authorizationSignature',
  'signature',
  'token',
  'secret',
  'password',
  'privateKey',
  'ciphertext',
  'databaseUrl',
]

function capture(level = 'info') {
  const lines: string[] = []
  const log = createLog({ level, destination: { write: (line) => void lines.push(line) } })
  const last = () => JSON.parse(lines.at(-1) ?? 'null')
  return { log, lines, last }
}

describe('redaction', () => {
  test.each(secretFields)('hides %s at the top level and nested', (field) => {
    const { log, lines, last } = capture()
    log.info({ [field]: CANARY, a: { [field]: CANARY, b: { [field]: CANARY } } }, 'something')
    expect(lines.join('')).not.toContain(CANARY)
    expect(last()).toMatchObject({
      [field]: '[redacted]',
      a: { [field]: '[redacted]', b: { [field]: '[redacted]' } },
    })
  })

  test('covers lists', () => {
    const { log, lines } = capture()
    log.info({ wallets: [{ privateKey: CANARY }, { privateKey: CANARY }] })
    expect(lines.join('')).not.toContain(CANARY)
    expect(lines.join('').match(/\[redacted\]/g)).toHaveLength(2)
  })

  test('covers child loggers and their bindings', () => {
    const { log, lines } = capture()
    log.child({ requestId: 'r-1', token: CANARY }).info({ body: { identityToken: CANARY } })
    expect(lines.join('')).not.toContain(CANARY)
    expect(lines.join('')).toContain('r-1')
  })

  test('leaves other fields and the logged object unchanged', () => {
    const { log, last } = capture()
    const entry = { organizationId: 'o-1', secret: CANARY }
    log.info(entry, 'kept')
    expect(last()).toMatchObject({ organizationId: 'o-1', msg: 'kept' })
    expect(entry.secret).toBe(CANARY)
  })
})

describe('a request', () => {
  test('is logged by its route template, without URL, headers and body', () => {
    const { log, lines, last } = capture()
    log.info({
      req: {
        method: 'POST',
        id: 'r-1',
        url: `/v1/consumer/invitations/${CANARY}/accept`,
        routeOptions: { url: '/v1/consumer/invitations/:token/accept' },
        headers: { authorization: `Bearer ${CANARY}`, cookie: CANARY },
        params: { token: CANARY },
        body: { identityToken: CANARY },
      },
    })
    expect(lines.join('')).not.toContain(CANARY)
    expect(last().req).toEqual({
      method: 'POST',
      route: '/v1/consumer/invitations/:token/accept',
      requestId: 'r-1',
    })
  })

  test('that matches no route is logged without its URL', () => {
    const { log, lines, last } = capture()
    log.info({ req: { method: 'GET', id: 'r-2', url: `/${CANARY}`, routeOptions: {} } })
    expect(lines.join('')).not.toContain(CANARY)
    expect(last().req.route).toBe('unmatched')
  })
})

describe('an error', () => {
  test('keeps its name, message, code, stack and the message of its cause', () => {
    const { log, last } = capture()
    const cause = new Error('the root of it')
    const err = Object.assign(new TypeError('broken', { cause }), { code: '23505' })
    log.error({ err }, 'failed')
    expect(last().err).toEqual({
      type: 'TypeError',
      message: 'broken',
      code: '23505',
      stack: err.stack,
      cause: 'the root of it',
    })
  })

  test("omits the driver's fields that carry row contents", () => {
    const { log, lines } = capture()
    const fields = { detail: CANARY, where: CANARY, parameters: [CANARY], hint: CANARY }
    log.error({ err: Object.assign(new Error('duplicate key'), fields) })
    expect(lines.join('')).not.toContain(CANARY)
    expect(lines.join('')).toContain('duplicate key')
  })
})

describe('a line', () => {
  test("is JSON with a named level, UTC time and the service's name", () => {
    const { log, lines, last } = capture()
    log.warn({ job: 'prune_expired' }, 'late')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/\}\n$/)
    expect(last()).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'countersign',
      job: 'prune_expired',
      msg: 'late',
    })
  })

  test('below the level is not written, and none is when silent', () => {
    const { log, lines } = capture('warn')
    log.info('not this')
    log.warn('but this')
    expect(lines).toHaveLength(1)
    const quiet = capture('silent')
    quiet.log.fatal('nor this')
    expect(quiet.lines).toEqual([])
  })
})

describe('gathered lines', () => {
  let directory: string
  let file: string
  let fd: number
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'countersign-log-'))
    file = join(directory, 'log')
    // Stays open: what waits is written when the process exits.
    fd = openSync(file, 'w')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    rmSync(directory, { recursive: true })
  })

  const messages = (): string[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).msg)
  const written = async (count: number): Promise<string[]> => {
    while (messages().length < count) await setImmediate()
    return messages()
  }
  const rounds = async () => {
    for (let round = 0; round < 100; round += 1) await setImmediate()
  }

  test('wait for the end of the 50 ms', async () => {
    const log = createLog({ level: 'info', destination: gathered(fd) })
    log.info('first')
    log.info('second')
    await rounds()
    expect(messages()).toEqual([])
    vi.advanceTimersByTime(49)
    await rounds()
    expect(messages()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(await written(2)).toEqual(['first', 'second'])
  })

  test.each(['warn', 'error', 'fatal'] as const)(
    'leave at once, in order, with: %s',
    async (level) => {
      const log = createLog({ level: 'info', destination: gathered(fd) })
      log.info('before')
      log[level]('trouble')
      expect(await written(2)).toEqual(['before', 'trouble'])
    },
  )

  test('leave with the warning of a child logger', async () => {
    const log = createLog({ level: 'info', destination: gathered(fd) })
    log.info('before')
    log.child({ job: 'prune_expired' }).warn('late')
    expect(await written(2)).toEqual(['before', 'late'])
  })

  test('leave when there are many', async () => {
    const log = createLog({ level: 'info', destination: gathered(fd) })
    for (let line = 0; line < 100; line += 1) log.info(`line ${line}`)
    expect((await written(40)).slice(0, 2)).toEqual(['line 0', 'line 1'])
  })

  test('are written before a process exits, those of all its loggers in order', () => {
    const program = `
      import { createLog } from './src/platform/log.ts'
      const [one, other] = [createLog({ level: 'info' }), createLog({ level: 'info' })]
      one.info('first')
      other.info('second')
      one.info('third')
      process.exit(0)`
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'ignore', fd],
    })
    expect(messages()).toEqual(['first', 'second', 'third'])
  })
})
