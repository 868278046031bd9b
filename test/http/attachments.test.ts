/** Uploading and downloading attachments. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  attachmentRows,
  auditOf,
  download,
  PDF,
  pdf,
  sha256Of,
  upload,
  uploaded,
} from '#test/support/attachments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let acme: Organization
let employee: Person

beforeAll(async () => {
  service = await startTestApp({ env: { ATTACHMENT_MIB_PER_ORGANIZATION: '40' } })
  await liftOwnersRowSecurity(service.database)
  acme = await createOrganization(service)
  employee = await joinOrganization(service, acme, { role: 'employee' })
})
afterAll(() => service.stop())

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('rest')])
const jpeg = Buffer.from('\xff\xd8\xff\xe0JFIF', 'latin1')
const webp = Buffer.from('RIFF\x01\x02\x03\x04WEBPVP8 ', 'latin1')
const csv = Buffer.from('date,amount\n2026-01-31,“12,50 €”\n')

describe('an upload', () => {
  test.each([
    [PDF, pdf(), 'receipt.pdf'],
    ['image/png', png, 'receipt.png'],
    ['image/jpeg', jpeg, 'receipt.jpeg'],
    ['image/webp', webp, 'receipt.webp'],
    ['text/csv', csv, 'receipt.csv'],
    ['text/csv; charset=utf-8', csv, 'receipt.csv'],
  ])('of %s is stored with its hash and audited', async (type, bytes, name) => {
    const disposition = `attachment; filename="${name}"`
    const { status, body } = await upload(service, acme, {
      ...{ person: employee, bytes, type, disposition },
    })
    expect(status).toBe(201)
    const [mediaType] = type.split(';')
    expect(body).toEqual({
      id: expect.any(String),
      name,
      mediaType,
      sizeBytes: bytes.length,
      sha256: sha256Of(bytes),
      createdAt: expect.any(String),
    })
    const trail = await auditOf(service, body.id)
    expect(trail).toEqual([
      expect.objectContaining({
        action: 'attachment.uploaded',
        data: { name, mediaType, sizeBytes: bytes.length, sha256: sha256Of(bytes) },
      }),
    ])
  })

  test('is refused without a token, a key or a name', async () => {
    const path = `${acme.path}/attachments`
    const headers = { 'content-type': PDF, 'content-disposition': 'attachment; filename=a.pdf' }
    const withKey = { ...headers, 'idempotency-key': randomUUID() }
    const anonymous = await service.call('POST', path, { raw: pdf(), headers: withKey })
    expect(anonymous.status).toBe(401)
    const { token } = employee
    const keyless = await service.call('POST', path, { token, raw: pdf(), headers })
    expect([keyless.status, keyless.body.error.code]).toEqual([400, 'idempotency_key_required'])
    const { 'content-disposition': _name, ...nameless } = withKey
    const unnamed = await service.call('POST', path, { token, raw: pdf(), headers: nameless })
    expect([unnamed.status, unnamed.body.error.message]).toEqual([
      ...[400, '`content-disposition` in the headers is required.'],
    ])
  })

  test.each(['attachment', 'attachment; filename="', 'attachment; filename="..."'])(
    'is refused with 400 for the header %s',
    async (disposition) => {
      const { status, body } = await upload(service, acme, { disposition })
      expect([status, body.error.code]).toEqual([400, 'validation_failed'])
      expect(body.error.message).toContain('Content-Disposition: attachment; filename=')
    },
  )

  test.each([
    ['JSON', 'application/json'],
    ['any bytes', 'application/octet-stream'],
    ['HTML', 'text/html'],
    ['SVG', 'image/svg+xml'],
    ['a PDF with a parameter', 'application/pdf; version=1.7'],
    ['CSV in another charset', 'text/csv; charset=utf-16'],
    ['two types', 'application/pdf, text/html'],
  ])('is refused with 415 for %s', async (_name, type) => {
    const before = await attachmentRows(service, acme)
    const { status, body } = await upload(service, acme, { type })
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type'])
    expect(await attachmentRows(service, acme)).toEqual(before)
  })

  test.each([
    ['HTML as a PDF', PDF, Buffer.from('<script>alert(1)</script>')],
    ['a PDF as a PNG', 'image/png', pdf()],
    ['a truncated signature', 'image/png', png.subarray(0, 5)],
    ['a NUL in CSV', 'text/csv', Buffer.from('a,b\n1,\0\n')],
    ['Latin-1 in CSV', 'text/csv', Buffer.from('caf\xe9', 'latin1')],
    ['CSV that ends within a character', 'text/csv', Buffer.from('€').subarray(0, 2)],
  ])('is refused with 415 for %s, and leaves nothing', async (_name, type, bytes) => {
    const before = await attachmentRows(service, acme)
    const { status, body } = await upload(service, acme, { type, bytes })
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type'])
    expect(body.error.message).toContain(`The bytes are not ${type}.`)
    expect(await attachmentRows(service, acme)).toEqual(before)
  })

  test('is refused with 400 when it is empty', async () => {
    const { status } = await upload(service, acme, { bytes: Buffer.alloc(0) })
    expect(status).toBe(400)
  })

  test('of 10 MiB is stored, of one byte more refused with 413', async () => {
    const whole = Buffer.concat([pdf(), Buffer.alloc(10 * 1024 * 1024)]).subarray(0, 10_485_760)
    const stored = await uploaded(service, acme, { bytes: whole })
    expect(stored).toMatchObject({ sizeBytes: 10_485_760, sha256: sha256Of(whole) })
    const before = await attachmentRows(service, acme)
    const larger = Buffer.concat([whole, Buffer.alloc(1)])
    const { status, body } = await upload(service, acme, { bytes: larger })
    expect([status, body.error.code]).toEqual([413, 'payload_too_large'])
    expect(body.error.message).toContain('at most 10 MiB')
    expect(await attachmentRows(service, acme)).toEqual(before)
    const read = await download(service, acme, { id: stored.id, person: acme.owner })
    expect(read.bytes.equals(whole)).toBe(true)
  })

  test('is refused with 409 when the quota is used up, and counts what is stored', async () => {
    const small = await createOrganization(service)
    const bytes = Buffer.concat([pdf(), Buffer.alloc(10 * 1024 * 1024)]).subarray(0, 10_485_760)
    for (let n = 0; n < 4; n += 1) await uploaded(service, small, { bytes })
    expect((await attachmentRows(service, small)).bytes).toBe(40 * 1024 * 1024)
    const { status, body } = await upload(service, small)
    expect([status, body.error.code]).toEqual([409, 'state_conflict'])
    expect(body.error.message).toContain('quota of 40 MiB')
    expect((await attachmentRows(service, small)).attachments).toBe(4)
  })
})

describe('the Idempotency-Key', () => {
  test('replays the first answer for the same bytes, type and name', async () => {
    const [key, bytes] = [randomUUID(), pdf()]
    const first = await upload(service, acme, { key, bytes })
    const before = await attachmentRows(service, acme)
    const second = await upload(service, acme, { key, bytes })
    expect([second.status, second.body]).toEqual([201, first.body])
    expect(second.headers['idempotent-replayed']).toBe('true')
    expect(await attachmentRows(service, acme)).toEqual(before)
  })

  test.each([
    ['bytes', { bytes: pdf('other') }],
    ['name', { disposition: 'attachment; filename="other.pdf"' }],
    ['type', { type: 'text/csv' }],
  ])('conflicts with 409 for another %s', async (_name, change) => {
    const about = { key: randomUUID(), bytes: pdf('first') }
    await uploaded(service, acme, about)
    const before = await attachmentRows(service, acme)
    const { status, body } = await upload(service, acme, { ...about, ...change })
    expect([status, body.error.code]).toEqual([409, 'idempotency_key_reused'])
    expect(await attachmentRows(service, acme)).toEqual(before)
  })

  test.each([
    ['the first upload', 201, (bytes: Buffer) => bytes],
    ['another upload', 409, () => pdf('another')],
  ])('stores no bytes of %s with a used key', async (_name, status, again) => {
    const about = { key: randomUUID(), bytes: pdf('first') }
    await uploaded(service, acme, about)
    const { attachmentStore } = service.api
    const write = vi.spyOn(attachmentStore, 'write')
    const answer = await upload(service, acme, { ...about, bytes: again(about.bytes) })
    const written = write.mock.calls.length
    write.mockRestore()
    expect([answer.status, written]).toEqual([status, 0])
  })

  test('checks the type of a repeated upload too', async () => {
    const about = { key: randomUUID(), bytes: pdf('first') }
    await uploaded(service, acme, about)
    const html = await upload(service, acme, { ...about, bytes: Buffer.from('<script>') })
    expect([html.status, html.body.error.code]).toEqual([415, 'unsupported_media_type'])
  })

  test('stores one attachment for two concurrent requests', async () => {
    const about = { key: randomUUID(), bytes: pdf() }
    const before = await attachmentRows(service, acme)
    const answers = await Promise.all([1, 2, 3].map(() => upload(service, acme, about)))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await attachmentRows(service, acme)).attachments).toBe(before.attachments + 1)
  })
})

describe('a download', () => {
  test('returns the bytes as a file that no browser shows or runs', async () => {
    const disposition = "attachment; filename*=UTF-8''R%C3%A9sum%C3%A9%20%E2%82%AC.csv"
    const { id } = await uploaded(service, acme, {
      ...{ person: employee, bytes: csv, type: 'text/csv', disposition },
    })
    const { status, bytes, headers } = await download(service, acme, { id, person: employee })
    expect([status, bytes.equals(csv)]).toEqual([200, true])
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-length': String(csv.length),
      'content-disposition':
        'attachment; filename="Résumé ?.csv"; filename*=UTF-8\'\'R%C3%A9sum%C3%A9%20%E2%82%AC.csv',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    })
  })

  test('is refused to everybody but the uploader before it is attached', async () => {
    const { id } = await uploaded(service, acme, { person: employee })
    const stranger = await createOrganization(service)
    expect((await download(service, acme, { id, person: employee })).status).toBe(200)
    expect((await download(service, acme, { id, person: acme.owner })).status).toBe(404)
    expect((await download(service, acme, { id, person: stranger.owner })).status).toBe(403)
    expect((await download(service, stranger, { id, person: stranger.owner })).status).toBe(404)
  })

  test('is refused for an unknown id and for an id that is not a UUID', async () => {
    const person = acme.owner
    expect((await download(service, acme, { id: randomUUID(), person })).status).toBe(404)
    expect((await download(service, acme, { id: 'none', person })).status).toBe(400)
  })

  test('answers 500 instead of bytes that have changed', async () => {
    const { id } = await uploaded(service, acme, { person: employee })
    await service.database.asOwner(
      'update attachment_chunks set bytes = set_byte(bytes, 9, 0) where attachment_id = $1',
      [id],
    )
    const { status, bytes } = await download(service, acme, { id, person: employee })
    expect([status, JSON.parse(bytes.toString()).error.code]).toEqual([500, 'internal'])
  })
})
