import { describe, expect, test } from 'vitest'
import { createLog } from './log.ts'

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
