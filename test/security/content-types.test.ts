import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, rawRequest, sendRaw } from '#test/security/raw-http.ts'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'

let service: TestApp
let port: number
let person: Person

beforeAll(async () => {
  service = await startTestApp()
  port = await listen(service)
  person = await service.signIn()
})
afterAll(() => service.stop())

const post = (lines: string[], body: string | Buffer) =>
  sendRaw(
    port,
    rawRequest({
      path: '/v1/consumer/organizations',
      lines: [`Authorization: Bearer ${person.token}`, ...lines],
      body,
    }),
  )

async function countNamed(name: string): Promise<number> {
  const [row] = await service.database.asOwner<{ n: number }>(
    'select count(*)::int as n from organizations where name = $1',
    [name],
  )
  return row?.n ?? 0
}

const type = (value: string) => [`Content-Type: ${value}`]

describe('taken as JSON, and validated', () => {
  test.each([
    ['the plain type', type('application/json')],
    ['with a charset', type('application/json; charset=utf-8')],
    ['with a charset and no space', type('application/json;charset=utf-8')],
    ['with a charset in quotes', type('application/json; charset="utf-8"')],
    ['with a charset in quotes and capitals', type('application/json;charset="UTF-8"')],
    ['in upper case', type('APPLICATION/JSON')],
    ['in mixed case', type('Application/Json; Charset=UTF-8')],
    ['with spaces in front, which HTTP takes off', ['Content-Type:    application/json']],
    ['with a tab in front, which HTTP takes off', ['Content-Type:\tapplication/json']],
    ['with spaces behind, which HTTP takes off', type('application/json   ')],
    ['with a tab behind, which HTTP takes off', type('application/json\t')],
    ['without a space after the colon', ['Content-Type:application/json']],
    ['under a name in capitals', ['CONTENT-TYPE: application/json']],
    ['twice the same', [...type('application/json'), ...type('application/json')]],
  ])('%s', async (_what, lines) => {
    const name = `Good ${randomUUID()}`
    expect((await post(lines, JSON.stringify({ name }))).status).toBe(201)
    expect(await countNamed(name)).toBe(1)

    const invalid = `Bad ${randomUUID()}`
    const { status, body } = await post(lines, JSON.stringify({ name: invalid, role: 'owner' }))
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
    expect(await countNamed(invalid)).toBe(0)
  })
})

describe('refused before the body is read', () => {
  test.each([
    ['none', []],
    ['an empty one', type('')],
    ['text', type('text/plain')],
    ['a form', type('application/x-www-form-urlencoded')],
    ['a multipart form', type('multipart/form-data; boundary=x')],
    ['bytes', type('application/octet-stream')],
    ['XML', type('application/xml')],
    ['JSON of another family', type('application/problem+json')],
    ['JSON of the old name', type('text/json')],
    ['JSON with a letter more', type('application/jsonx')],
    ['JSON with a letter less', type('application/jso')],
    ['JSON with lines', type('application/json-seq')],
    ['a wildcard', type('application/*')],
    ['another charset', type('application/json; charset=utf-16')],
    ['latin-1', type('application/json; charset=iso-8859-1')],
    ['a charset in one quote', type('application/json; charset="utf-8')],
    ['another charset in quotes', type('application/json; charset="utf-16"')],
    ['a charset and more in quotes', type('application/json; charset="utf-8;x"')],
    ['a charset twice', type('application/json; charset=utf-8; charset=utf-8')],
    ['an unknown parameter', type('application/json; version=1')],
    ['a semicolon', type('application/json;')],
    ['two semicolons', type('application/json;;')],
    ['two semicolons and a charset', type('application/json;; charset=utf-8')],
    ['a tab before the parameter', type('application/json\t; charset=utf-8')],
    ['a tab inside the parameter', type('application/json;\tcharset=utf-8')],
    ['a tab and another type', type('application/json\ttext/plain')],
    ['a space inside', type('application /json')],
    ['a space and another type', type('application/json text/plain')],
    ['a comma and another type', type('application/json, text/plain')],
    ['another type and JSON', type('text/plain, application/json')],
    ['another type first, then JSON', [...type('text/plain'), ...type('application/json')]],
    ['a no-break space in front', type('\u00a0application/json')],
    ['a slash more', type('application//json')],
    ['a name alone', type('json')],
  ])('%s', async (_what, lines) => {
    const name = `Refused ${randomUUID()}`
    const { status, body } = await post(lines, JSON.stringify({ name }))
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type'])
    expect(await countNamed(name)).toBe(0)
    const unread = await post(lines, '{"name":')
    expect(unread.status).toBe(415)
  })

  test('on every route with a body', async () => {
    for (const [method, path] of [
      ['PUT', '/v1/consumer/session'],
      ['POST', '/v1/consumer/organizations'],
      ['POST', '/v1/consumer/invitations/some-token/accept'],
    ] as const) {
      const { status } = await service.call(method, path, {
        token: person.token,
        raw: '{}',
        headers: { 'content-type': 'text/plain' },
      })
      expect(status, path).toBe(415)
    }
  })
})

describe('two headers that disagree', () => {
  test('the first one counts, and the body is still validated', async () => {
    const lines = [...type('application/json'), ...type('text/plain')]
    const name = `Twice ${randomUUID()}`
    const { status } = await post(lines, JSON.stringify({ name, role: 'owner' }))
    expect(status).toBe(400)
    expect(await countNamed(name)).toBe(0)
  })
})

describe('header lines that are not HTTP', () => {
  test.each([
    ['a folded line', ['Content-Type: text/plain;', ' application/json']],
    ['a vertical tab', type('application/json\u000b')],
    ['a NUL', type('application/json\u0000')],
    ['a bare carriage return', type('application/json\rX: y')],
    ['a space before the colon', ['Content-Type : application/json']],
  ])('%s ends the connection with 400', async (_what, lines) => {
    const name = `Broken ${randomUUID()}`
    const { status, body } = await post(lines, JSON.stringify({ name }))
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
    expect(await countNamed(name)).toBe(0)
  })
})

describe('bodies that only look like JSON', () => {
  const json = JSON.stringify({ name: 'Looks like it' })

  test.each([
    ['a byte order mark', Buffer.from(`\ufeff${json}`)],
    ['UTF-16', Buffer.from(json, 'utf16le')],
    [
      'broken UTF-8',
      Buffer.concat([Buffer.from('{"name":"ab'), Buffer.of(0xc3, 0x28, 0x22, 0x7d)]),
    ],
    ['compressed', gzipSync(json)],
    ['a comment', Buffer.from(`/* hello */ ${json}`)],
    ['two documents', Buffer.from(`${json}${json}`)],
    ['single quotes', Buffer.from("{'name':'Looks like it'}")],
    ['the same key twice', Buffer.from('{"name":"Looks like it","name":"Looks like it"}')],
    ['a prototype', Buffer.from('{"__proto__":{},"name":"Looks like it"}')],
  ])('%s is 400 malformed_json', async (_what, body) => {
    const answer = await post(type('application/json'), body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'malformed_json'])
    expect(await countNamed('Looks like it')).toBe(0)
  })

  test('an announced encoding is not undone', async () => {
    const lines = [...type('application/json'), 'Content-Encoding: gzip']
    const { status, body } = await post(lines, gzipSync(json))
    expect([status, body.error.code]).toEqual([400, 'malformed_json'])
    expect(await countNamed('Looks like it')).toBe(0)
  })
})
