import { SHA256_PATTERN } from '@countersign/proof/values.ts'
import { IdempotencyHeaders } from '#http/idempotency-key.ts'
import { Type } from '#platform/schema.ts'
import {
  CreatedAt,
  described,
  formatted,
  OrganizationId,
  oneOf,
  PosInt,
  Uuid,
} from '#platform/values.ts'
import { MEDIA_TYPES } from './attachment.ts'

const id = described(Uuid, 'The id of the attachment, for `attachmentIds` of an expense')

export const AttachmentParams = Type.Object({ organizationId: OrganizationId, attachmentId: id })

export const attachmentFields = {
  id,
  name: Type.String({ description: "The file's name, made safe for file systems" }),
  mediaType: oneOf(MEDIA_TYPES, { description: 'As stated at the upload, and checked' }),
  sizeBytes: described(PosInt, 'The size of the file in bytes'),
  sha256: formatted(SHA256_PATTERN, 'a SHA-256: 64 lower-case hexadecimal digits', {
    description: 'SHA-256 of the bytes, as `sha256sum` prints it',
  }),
}

export const AttachmentSchema = Type.Object(
  { ...attachmentFields, createdAt: CreatedAt },
  { $id: 'Attachment' },
)

export const UploadHeaders = Type.Object({
  ...IdempotencyHeaders.properties,
  'content-disposition': Type.String({
    description:
      'The name of the file: attachment; filename="receipt.pdf", or filename* for characters ' +
      'other than ASCII (RFC 6266)',
  }),
})

const bytes = (description: string) => ({ type: 'string', format: 'binary', description })

/** The handler reads the bytes from the request itself; the parsed body is empty. */
export const UploadBody = Type.Unsafe<string>(bytes('The bytes of the file, at most 10 MiB'))

export const DownloadSchema = {
  description: 'The bytes of the file, always served as a download',
  content: Object.fromEntries(
    MEDIA_TYPES.map((type) => [type, { schema: bytes('The bytes as they were uploaded') }]),
  ),
}

export const attachmentComponents = [AttachmentSchema]
