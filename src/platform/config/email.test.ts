import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { readEmail } from './email.ts'

const settings = {
  SMTP_URL: 'smtps://mailer:hunter2@mail.example',
  EMAIL_FROM: 'Countersign <mail@countersign.example>',
}
const appOrigin = 'https://app.example'
const development = { production: false, appOrigin }
const production = { production: true, appOrigin }

function problemOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/hunter2|[\n\r]/)
    return message
  }
  return 'no problem'
}

describe('e-mail', () => {
  test('is off without settings', () => {
    expect(readEmail({}, production)).toBeUndefined()
    expect(readEmail({ SMTP_URL: '', EMAIL_FROM: '' }, production)).toBeUndefined()
  })

  test('is read', () => {
    expect(readEmail(settings, production)).toEqual({
      from: { name: 'Countersign', address: 'mail@countersign.example' },
      appOrigin,
      unsubscribeUrl: 'https://app.example/unsubscribe',
      smtp: {
        host: 'mail.example',
        port: 465,
        isSecure: true,
        requiresStartTls: false,
        user: 'mailer',
        password: 'hunter2',
      },
    })
  })

  test.each(['SMTP_URL', 'EMAIL_FROM'])('needs both settings: without %s it refuses', (name) => {
    expect(problemOf(() => readEmail({ ...settings, [name]: '' }, development))).toMatch(
      /^Set SMTP_URL and EMAIL_FROM, or neither/,
    )
  })

  test('needs the origin of the application', () => {
    const without = { production: true, appOrigin: undefined }
    expect(problemOf(() => readEmail(settings, without))).toMatch(/^Set CONSUMER_APP_ORIGIN/)
  })

  test('an API process knows that e-mail is on, and no server', () => {
    const { EMAIL_FROM } = settings
    const email = readEmail({ EMAIL_FROM }, { ...production, isKeyless: true })
    expect(email).toMatchObject({ from: { address: 'mail@countersign.example' }, smtp: undefined })
  })
})

describe('SMTP_URL', () => {
  const smtp = (url: string, how = production) =>
    readEmail({ ...settings, SMTP_URL: url }, how)?.smtp

  test('with smtp:// requires STARTTLS in production', () => {
    expect(smtp('smtp://mail.example')).toMatchObject({
      port: 587,
      isSecure: false,
      requiresStartTls: true,
    })
    expect(smtp('smtp://mail.example', development)).toMatchObject({ requiresStartTls: false })
  })

  test('on loopback may be without TLS: the message does not leave the machine', () => {
    expect(smtp('smtp://127.0.0.1:25')).toMatchObject({ port: 25, requiresStartTls: false })
    expect(smtp('smtp://[::1]:25')).toMatchObject({ host: '::1', requiresStartTls: false })
  })

  test('has its user and password decoded', () => {
    expect(smtp('smtps://us%40er:p%2Fw@mail.example:2525')).toMatchObject({
      port: 2525,
      user: 'us@er',
      password: 'p/w',
    })
  })

  test.each([
    ['another scheme', 'https://mailer:hunter2@mail.example'],
    ['no scheme', 'mail.example'],
    ['options', 'smtp://mailer:hunter2@mail.example?ignoreTLS=true'],
    ['options of TLS', 'smtps://mailer:hunter2@mail.example/?tls.rejectUnauthorized=false'],
    ['a path', 'smtps://mailer:hunter2@mail.example/pool'],
    ['a fragment', 'smtps://mailer:hunter2@mail.example#x'],
    ['no host', 'smtps://'],
    ['a user without a password', 'smtps://hunter2@mail.example'],
    ['a wrong escape', 'smtps://mailer:hunter2%zz@mail.example'],
  ])('is refused with %s', (_what, url) => {
    expect(problemOf(() => smtp(url))).toMatch(/^SMTP_URL must/)
    expect(problemOf(() => smtp(url, development))).toMatch(/^SMTP_URL must/)
  })
})

test.each([
  ['mail@acme.example', { name: '', address: 'mail@acme.example' }],
  ['Acme Süd <mail@acme.example>', { name: 'Acme Süd', address: 'mail@acme.example' }],
])('EMAIL_FROM %s is read', (from, expected) => {
  expect(readEmail({ ...settings, EMAIL_FROM: from }, production)?.from).toEqual(expected)
})

test.each([
  'acme.example',
  'a@b.example, c@d.example',
  'Acme <mail@acme.example>\r\nBcc: eve@evil.example',
  'Ac\nme <mail@acme.example>',
  '"Acme" <mail@acme.example>',
  'Acme <mail acme.example>',
  'mail@acme.example>',
])('EMAIL_FROM %j is refused', (from) => {
  expect(problemOf(() => readEmail({ ...settings, EMAIL_FROM: from }, production))).toMatch(
    /^EMAIL_FROM must be/,
  )
})

describe('UNSUBSCRIBE_URL', () => {
  const unsubscribeUrl = (url: string, how = production) =>
    readEmail({ ...settings, UNSUBSCRIBE_URL: url }, how)?.unsubscribeUrl

  test('is a page of the web gateway', () => {
    expect(unsubscribeUrl('https://web.example/u')).toBe('https://web.example/u')
  })

  test.each(['http://web.example/u', 'https://web.example/u?x=1', 'web.example'])(
    'is refused in production as %s',
    (url) => {
      expect(problemOf(() => unsubscribeUrl(url))).toMatch(/^UNSUBSCRIBE_URL must be/)
    },
  )
})
