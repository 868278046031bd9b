import { createServer } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createSmtpMailer, type SmtpMailerOptions } from '#adapters/email/smtp-mailer.ts'
import type { SmtpConfig } from '#platform/config/email.ts'
import type { EmailMessage } from '#ports/mailer.ts'
import { CERTIFICATE, type MailServer, startMailServer } from '#test/email/mail-server.ts'

let server: MailServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const start = async (options?: Parameters<typeof startMailServer>[0]): Promise<MailServer> => {
  server = await startMailServer(options)
  return server
}

const mailerFor = (
  port: number,
  {
    smtp = {},
    ...options
  }: { smtp?: Partial<SmtpConfig> } & Omit<Partial<SmtpMailerOptions>, 'smtp'> = {},
) =>
  createSmtpMailer({
    smtp: {
      host: '127.0.0.1',
      port,
      isSecure: false,
      requiresStartTls: false,
      user: undefined,
      password: undefined,
      ...smtp,
    },
    from: { name: 'Countersign', address: 'mail@countersign.example' },
    ca: CERTIFICATE,
    ...options,
  })

const message = (more: Partial<EmailMessage> = {}): EmailMessage => ({
  to: 'ana@acme.example',
  subject: 'An expense needs your review',
  text: 'An expense is waiting.\n',
  html: '<p>An expense is waiting.</p>\n',
  messageId: 'abc@countersign.example',
  unsubscribeUrl: `https://web.example/unsubscribe?token=${'a'.repeat(120)}`,
  ...more,
})

test('hands over text, HTML and headers', async () => {
  const { port, received } = await start()
  expect(await mailerFor(port).send(message())).toBe('accepted')
  const [mail] = received
  expect(mail).toMatchObject({
    from: 'mail@countersign.example',
    to: ['ana@acme.example'],
    text: 'An expense is waiting.',
    html: '<p>An expense is waiting.</p>',
  })
  expect(mail?.headers).toMatchObject({
    from: 'Countersign <mail@countersign.example>',
    to: 'ana@acme.example',
    subject: 'An expense needs your review',
    'message-id': '<abc@countersign.example>',
    'auto-submitted': 'auto-generated',
    'list-unsubscribe': `<https://web.example/unsubscribe?token=${'a'.repeat(120)}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  })
})

test('a required e-mail has no unsubscribe header', async () => {
  const { port, received } = await start()
  await mailerFor(port).send(message({ unsubscribeUrl: null }))
  expect(Object.keys(received[0]?.headers ?? {}).join()).not.toContain('unsubscribe')
})

describe('header injection', () => {
  test.each([
    ['the subject', { subject: 'Hello\r\nBcc: eve@evil.example\r\n\r\nbody' }],
    ['the subject, with a bare line feed', { subject: 'Hello\nBcc: eve@evil.example' }],
    ['the subject, beyond ASCII', { subject: 'Hallö\r\nBcc: eve@evil.example' }],
  ])('through %s adds no header and no recipient', async (_where, more) => {
    const { port, received } = await start()
    expect(await mailerFor(port).send(message(more))).toBe('accepted')
    const [mail] = received
    expect(mail?.to).toEqual(['ana@acme.example'])
    expect(mail?.headers).not.toHaveProperty('bcc')
    expect(mail?.lines.filter((line) => /^bcc/i.test(line))).toEqual([])
    expect(mail?.text).toBe('An expense is waiting.')
  })

  test.each([
    'ana@acme.example\r\nRCPT TO:<eve@evil.example>',
    'ana@acme.example, eve@evil.example',
    'Ana <ana@acme.example>',
    'ana@acme.example>\r\nDATA',
    '"a b"@acme.example',
    'ana',
    `${'a'.repeat(250)}@b.example`,
  ])('through the address %j is refused before anything is sent', async (to) => {
    const { port, attempts } = await start()
    expect(await mailerFor(port).send(message({ to }))).toEqual({
      rejected: 'the address is not usable',
    })
    expect(attempts).toEqual([])
  })

  test('a line with a single full stop does not end the message', async () => {
    const { port, received } = await start()
    const text = 'before\n.\nMAIL FROM:<eve@evil.example>\nafter\n'
    await mailerFor(port).send(message({ text }))
    expect(received).toHaveLength(1)
    expect(received[0]?.text).toBe(text.trimEnd())
  })
})

describe('answers of the mail server', () => {
  test.each([
    ['rcpt', 450],
    ['rcpt', 421],
    ['data', 451],
    ['data', 452],
  ] as const)('%s %i is retried', async (step, code) => {
    const { port, refuse } = await start()
    refuse(step, code)
    expect(await mailerFor(port).send(message())).toEqual({
      retry: expect.stringMatching(new RegExp(`answered ${code}|failed with E`)),
    })
  })

  test.each([
    ['rcpt', 550],
    ['rcpt', 553],
    ['data', 554],
    ['data', 552],
  ] as const)('%s %i is permanent', async (step, code) => {
    const { port, refuse } = await start()
    refuse(step, code)
    expect(await mailerFor(port).send(message())).toEqual({
      rejected: expect.stringContaining(`answered ${code}`),
    })
  })

  test('a refused connection is retried', async () => {
    const { port, close } = await start()
    await close()
    server = undefined
    expect(await mailerFor(port).send(message())).toEqual({
      retry: expect.stringMatching(/^failed with E/),
    })
  })

  test('a refused password is retried, and no reason contains it', async () => {
    const { port } = await start({ tls: 'starttls', password: 'right' })
    const smtp = { user: 'mailer', password: 'hunter2' }
    const outcome = await mailerFor(port, { smtp }).send(message())
    expect(outcome).toEqual({ retry: expect.stringContaining('answered 535') })
    expect(JSON.stringify(outcome)).not.toMatch(/hunter2|ana@/)
  })

  test('a server that does not answer ends the attempt', async () => {
    const silent = createServer(() => {})
    onTestFinished(() => void silent.close())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    expect(await mailerFor(port, { timeoutMs: 50 }).send(message())).toEqual({
      retry: 'failed with ETIMEDOUT',
    })
  })

  test('a server that exceeds the total time ends the attempt', async () => {
    const slow = await start()
    const { port } = slow
    const { promise, resolve } = Promise.withResolvers<void>()
    onTestFinished(() => resolve())
    slow.beforeAnswer = () => promise
    expect(await mailerFor(port, { totalTimeoutMs: 100 }).send(message())).toEqual({
      retry: 'failed with ETIMEDOUT',
    })
  })
})

describe('TLS', () => {
  const credentials = { user: 'mailer', password: 'right' }

  test('is used when the server offers STARTTLS, before the password is sent', async () => {
    const { port, received, attempts } = await start({ tls: 'starttls', password: 'right' })
    const smtp = { ...credentials, requiresStartTls: true }
    expect(await mailerFor(port, { smtp }).send(message())).toBe('accepted')
    expect(received).toMatchObject([{ isSecure: true, user: 'mailer' }])
    expect(attempts.filter(({ step }) => step === 'auth')).toEqual([
      { step: 'auth', isSecure: true },
    ])
  })

  test('from the first byte with smtps', async () => {
    const { port, received } = await start({ tls: 'immediate', password: 'right' })
    const smtp = { ...credentials, isSecure: true }
    expect(await mailerFor(port, { smtp }).send(message())).toBe('accepted')
    expect(received).toMatchObject([{ isSecure: true, user: 'mailer' }])
  })

  test('where it is required, a server without STARTTLS gets nothing', async () => {
    const { port, received, attempts } = await start({ password: 'right' })
    const smtp = { ...credentials, requiresStartTls: true }
    expect(await mailerFor(port, { smtp }).send(message())).toHaveProperty('retry')
    expect(received).toEqual([])
    expect(attempts.map(({ step }) => step)).toEqual(['connect'])
  })

  test('an untrusted certificate is refused', async () => {
    const { port, received } = await start({ tls: 'starttls', password: 'right' })
    const smtp = { ...credentials, requiresStartTls: true }
    const mailer = createSmtpMailer({
      smtp: { host: '127.0.0.1', port, isSecure: false, ...smtp },
      from: { name: '', address: 'mail@countersign.example' },
    })
    expect(await mailer.send(message())).toHaveProperty('retry')
    expect(received).toEqual([])
  })
})
