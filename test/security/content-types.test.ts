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

describe('accepted as JSON and validated', () => {
  test.each([
    ['the plain type', type('application/json')],
    ['with a charset', type('application/json; charset=utf-8')],
    ['with a charset and no space', type('application/json;charset=utf-8')],
    ['with a charset in quotes', type('application/json; charset="utf-8"')],
    ['with a charset in quotes and capitals', type('application/json;charset="UTF-8"')],
    ['in upper case', type('APPLICATION/JSON')],
    ['in mixed case', type('Application/Json; Charset=UTF-8')],
    ['with leading spaces, which HTTP strips', ['Content-Type:    application/json']],
    ['with a leading tab, which HTTP strips', ['Content-Type:\tapplication/json']],
    ['with trailing spaces, which HTTP strips', type('application/json   ')],
    ['with a trailing tab, which HTTP strips', type('application/json\t')],
    ['without a space after the colon', ['Content-Type:application/json']],
    ['under a header name in upper case', ['CONTENT-TYPE: application/json']],
    ['twice with the same value', [...type('application/json'), ...type('application/json')]],
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

describe('rejected before the body is read', () => {
  test.each([
    ['none', []],
    ['an empty type', type('')],
    ['text', type('text/plain')],
    ['a form', type('application/x-www-form-urlencoded')],
    ['a multipart form', type('multipart/form-data; boundary=x')],
    ['bytes', type('application/octet-stream')],
    ['XML', type('application/xml')],
    ['a JSON-based type', type('application/problem+json')],
    ['the former JSON type', type('text/json')],
    ['JSON with an extra letter', type('application/jsonx')],
    ['JSON with a missing letter', type('application/jso')],
    ['JSON lines', type('application/json-seq')],
    ['a wildcard', type('application/*')],
    ['another charset', type('application/json; charset=utf-16')],
    ['latin-1', type('application/json; charset=iso-8859-1')],
    ['a charset with one quote', type('application/json; charset="utf-8')],
    ['another charset in quotes', type('application/json; charset="utf-16"')],
    ['a charset and more in quotes', type('application/json; charset="utf-8;x"')],
    ['a repeated charset', type('application/json; charset=utf-8; charset=utf-8')],
    ['an unknown parameter', type('application/json; version=1')],
    ['a trailing semicolon', type('application/json;')],
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
    ['a leading no-break space', type('\u00a0application/json')],
    ['an extra slash', type('application//json')],
    ['a type without a subtype', type('json')],
  ])('%s', async (_what, lines) => {
    const name = `Refused ${randomUUID()}`
    const { status, body } = await post(lines, JSON.stringify({ name }))
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type'])
    expect(await countNamed(name)).toBe(0)
    const unread = await post(lines, '{"name":')
    expect(unread.status).toBe(415)
  })

  test('on every route that takes a body', async () => {
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

describe('two conflicting headers', () => {
  test('use the first, and the body is still validated', async () => {
    const lines = [...type('application/json'), ...type('text/plain')]
    const name = `Twice ${randomUUID()}`
    const { status } = await post(lines, JSON.stringify({ name, role: 'owner' }))
    expect(status).toBe(400)
    expect(await countNamed(name)).toBe(0)
  })
})

describe('invalid HTTP header lines', () => {
  test.each([
    ['a folded line', ['Content-Type: text/plain;', ' application/json']],
    ['a vertical tab', type('application/json\u000b')],
    ['a NUL', type('application/json\u0000')],
    ['a bare carriage return', type('application/json\rX: y')],
    ['a space before the colon', ['Content-Type : application/json']],
  ])('%s closes the connection with 400', async (_what, lines) => {
    const name = `Broken ${randomUUID()}`
    const { status, body } = await post(lines, JSON.stringify({ name }))
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
    expect(await countNamed(name)).toBe(0)
  })
})

describe('bodies that are not quite JSON', () => {
  const json = JSON.stringify({ name: 'Looks like it' })

  test.each([
    ['a byte order mark', Buffer.from(`\ufeff${json}`)],
    ['UTF-16', Buffer.from(json, 'utf16le')],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"name":"ab'), Buffer.of(0xc3, 0x28, 0x22, 0x7d)]),
    ],
    ['compressed', gzipSync(json)],
    ['a comment', Buffer.from(`/* hello */ ${json}`)],
    ['two documents', Buffer.from(`${json}${json}`)],
    ['single quotes', Buffer.from("{'name':'Looks like it'}")],
    ['a duplicate key', Buffer.from('{"name":"Looks like it","name":"Looks like it"}')],
    ['a __proto__ key', Buffer.from('{"__proto__":{},"name":"Looks like it"}')],
  ])('%s is 400 malformed_json', async (_what, body) => {
    const answer = await post(type('application/json'), body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'malformed_json'])
    expect(await countNamed('Looks like it')).toBe(0)
  })

  test('a declared content encoding is not decoded', async () => {
    const lines = [...type('application/json'), 'Content-Encoding: gzip']
    const { status, body } = await post(lines, gzipSync(json))
    expect([status, body.error.code]).toEqual([400, 'malformed_json'])
    expect(await countNamed('Looks like it')).toBe(0)
  })
})
