/** Uploads over real connections: memory, slow and broken clients, answers to refused uploads. */

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SIZE_MAX_BYTES } from '#attachments/attachment.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { attachmentRows, download, PDF, sha256Of } from '#test/support/attachments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let acme: Organization
let port: number
/** Parts that were passed to the store, and how long each was. */
let partSizes: number[]

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  const { attachmentStore: store } = service.api
  const { write } = store
  store.write = (key, parts) => write(key, counted(parts))
  acme = await createOrganization(service)
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  port = (service.app.server.address() as AddressInfo).port
})
beforeEach(() => {
  partSizes = []
})
afterAll(() => service.stop())

async function* counted(parts: AsyncIterable<Uint8Array>) {
  for await (const part of parts) {
    partSizes.push(part.length)
    yield part
  }
}

const PART_BYTES = 256 * 1024
const whole = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(SIZE_MAX_BYTES - 8, 7)])

function openUpload(headers: Record<string, string> = {}) {
  const sending = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: `${acme.path}/attachments`,
    headers: {
      authorization: `Bearer ${acme.owner.token}`,
      'content-type': PDF,
      'content-disposition': 'attachment; filename="big.pdf"',
      'idempotency-key': randomUUID(),
      ...headers,
    },
  })
  const answered = (async () => {
    const [response] = await once(sending, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }
  })()
  answered.catch(() => {})
  return { sending, answered }
}

const idleTransactions = () =>
  service.database.asOwner(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and (state like 'idle in transaction%' or (state = 'active' and query like '%attachment%'))`,
  )

describe('an upload', () => {
  test('of 10 MiB passes through the process in parts of 256 KiB', async () => {
    const { sending, answered } = openUpload()
    sending.end(whole)
    const { status, body } = await answered
    expect(status).toBe(201)
    expect(body).toMatchObject({ sizeBytes: SIZE_MAX_BYTES, sha256: sha256Of(whole) })
    expect(partSizes).toEqual(Array(40).fill(256 * 1024))
    const read = await download(service, acme, { id: body.id, person: acme.owner })
    expect(read.bytes.equals(whole)).toBe(true)
  })

  test('without a length is refused with 413 at the first byte too many, readably', async () => {
    const before = await attachmentRows(service, acme)
    const { sending, answered } = openUpload({ 'transfer-encoding': 'chunked' })
    sending.on('error', () => {})
    for (let sent = 0; sent <= SIZE_MAX_BYTES; sent += 1024 * 1024) {
      sending.write(sent === 0 ? whole.subarray(0, 1024 * 1024) : Buffer.alloc(1024 * 1024))
      await turn()
    }
    const { status, body } = await answered
    expect([status, body.error.code]).toEqual([413, 'payload_too_large'])
    sending.destroy()
    await expect.poll(() => attachmentRows(service, acme)).toEqual(before)
  })

  test('with a length above the limit is refused before its bytes are sent', async () => {
    const { sending, answered } = openUpload({ 'content-length': String(SIZE_MAX_BYTES + 1) })
    sending.on('error', () => {})
    sending.flushHeaders()
    expect((await answered).status).toBe(413)
    expect(partSizes).toEqual([])
    sending.destroy()
  })

  test('of a client that pauses holds no transaction and no connection', async () => {
    const { sending, answered } = openUpload({ 'content-length': String(whole.length) })
    sending.write(whole.subarray(0, 1024 * 1024))
    await expect.poll(() => partSizes.length).toBe(4)
    await expect.poll(idleTransactions).toEqual([])
    const { pool } = service.api.db
    await expect.poll(() => pool.total - pool.idle).toBe(0)
    sending.end(whole.subarray(1024 * 1024))
    expect((await answered).status).toBe(201)
  })

  test('of a client that disconnects leaves nothing behind', async () => {
    const before = await attachmentRows(service, acme)
    const { sending } = openUpload({ 'content-length': String(whole.length) })
    sending.on('error', () => {})
    sending.write(whole.subarray(0, 1024 * 1024))
    await expect.poll(() => partSizes.length).toBe(4)
    expect((await attachmentRows(service, acme)).chunks).toBeGreaterThan(before.chunks)
    sending.destroy()
    await expect.poll(() => attachmentRows(service, acme)).toEqual(before)
  })

  test('of a member who is revoked meanwhile is refused and leaves nothing behind', async () => {
    const before = await attachmentRows(service, acme)
    const { sending, answered } = openUpload({ 'content-length': String(whole.length) })
    sending.write(whole.subarray(0, 1024 * 1024))
    await expect.poll(() => partSizes.length).toBe(4)
    const change = (state: string) =>
      service.database.asOwner('update memberships set state = $2 where organization_id = $1', [
        ...[acme.id, state],
      ])
    await change('revoked')
    sending.end(whole.subarray(1024 * 1024))
    expect((await answered).status).toBe(403)
    await change('active')
    expect(await attachmentRows(service, acme)).toEqual(before)
  })
})

describe('HEAD', () => {
  test('shows the headers of a download and does not read all of its bytes', async () => {
    const { sending, answered } = openUpload()
    sending.end(whole)
    const { id } = (await answered).body
    const { attachmentStore: store } = service.api
    const { read } = store
    let parts = 0
    store.read = async function* (key) {
      for await (const part of read(key)) {
        parts += 1
        yield part
      }
    }
    const head = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'HEAD',
      path: `${acme.path}/attachments/${id}`,
      headers: { authorization: `Bearer ${acme.owner.token}` },
    }).end()
    const [response] = await once(head, 'response')
    response.resume()
    await once(response, 'end')
    // A stream that goes on without a reader would read the rest meanwhile.
    await download(service, acme, { person: acme.owner, id })
    store.read = read
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-length']).toBe(String(SIZE_MAX_BYTES))
    expect(response.headers['content-type']).toBe(PDF)
    expect(parts).toBeLessThan(SIZE_MAX_BYTES / PART_BYTES + 10)
  })
})
