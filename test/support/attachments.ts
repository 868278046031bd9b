/** Uploads and downloads of attachments over HTTP. */
import { createHash, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, Organization, Person, TestApp } from './app.ts'

export const PDF = 'application/pdf'

/** The smallest file that passes as a PDF, different with each text. */
export const pdf = (text: string = randomUUID()): Buffer =>
  Buffer.from(`%PDF-1.7\n${text}\n%%EOF\n`)

export const sha256Of = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

export type Upload = {
  person?: Person
  bytes?: Buffer
  type?: string
  disposition?: string
  key?: string
}

export const upload = (
  { call }: Pick<TestApp, 'call'>,
  { path, owner }: Organization,
  {
    person = owner,
    bytes = pdf(),
    type = PDF,
    disposition = 'attachment; filename="receipt.pdf"',
    key = randomUUID(),
  }: Upload = {},
): Promise<Answer> =>
  call('POST', `${path}/attachments`, {
    token: person.token,
    raw: bytes,
    headers: {
      'content-type': type,
      'content-disposition': disposition,
      'idempotency-key': key,
    },
  })

/** The attachment of a successful upload. */
export async function uploaded(
  service: Pick<TestApp, 'call'>,
  organization: Organization,
  about: Upload = {},
): Promise<Answer['body']> {
  const { status, body } = await upload(service, organization, about)
  expect(status).toBe(201)
  return body
}

export async function download(
  { app }: Pick<TestApp, 'app'>,
  { path }: Organization,
  { id, person }: { id: string; person: Person },
) {
  const { statusCode, rawPayload, headers } = await app.inject({
    method: 'GET',
    url: `${path}/attachments/${id}`,
    headers: { authorization: `Bearer ${person.token}` },
  })
  return { status: statusCode, bytes: rawPayload, headers }
}

/** Rows that attachments have left in the database, and what counts towards the quota. */
export async function attachmentRows(
  { database }: Pick<TestApp, 'database'>,
  { id }: Pick<Organization, 'id'>,
): Promise<{ attachments: number; chunks: number; bytes: number }> {
  const [row] = await database.asOwner<{ attachments: number; chunks: number; bytes: number }>(
    `select (select count(*)::int from attachments where organization_id = $1) as attachments,
       (select count(*)::int from attachment_chunks where organization_id = $1) as chunks,
       coalesce((select bytes::int from attachment_usage where organization_id = $1), 0) as bytes`,
    [id],
  )
  if (!row) throw new Error('No row')
  return row
}

export const auditOf = ({ database }: Pick<TestApp, 'database'>, aggregateId: string) =>
  database.asOwner<{ action: string; data: unknown }>(
    'select action, data from audit_events where aggregate_id = $1 order by seq',
    [aggregateId],
  )
