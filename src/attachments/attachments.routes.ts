import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { AppError } from '#platform/errors.ts'
import { MEDIA_TYPES, type MediaType } from './attachment.ts'
import {
  AttachmentParams,
  AttachmentSchema,
  DownloadSchema,
  UploadBody,
  UploadHeaders,
} from './attachments.schema.ts'
import { dispositionOf, fileNameOf } from './file-name.ts'
import { type ReadAttachment, readAttachment } from './read-attachment.ts'
import { uploadAttachment } from './upload-attachment.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['attachments']

type AttachmentContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'log' | 'config' | 'attachmentStore'
>

const CHARSET = /^text\/csv; ?charset=(?:utf-8|"utf-8")$/i

/** Exact values only, like the type of a JSON body. */
function mediaTypeOf({ headers }: FastifyRequest): MediaType {
  const stated = headers['content-type']?.toLowerCase() ?? ''
  const plain = CHARSET.test(stated) ? 'text/csv' : stated
  const found = MEDIA_TYPES.find((type) => type === plain)
  if (found) return found
  throw new AppError('unsupported_media_type', {
    message: `Send the file as the body, as one of these types: ${MEDIA_TYPES.join(', ')}.`,
  })
}

const statedBytesOf = ({ headers }: FastifyRequest): number | undefined =>
  headers['content-length'] === undefined ? undefined : Number(headers['content-length'])

/** Not destroyed when the upload is refused, so that the client can still read the response. */
async function* bodyOf({ raw }: FastifyRequest): AsyncIterable<Uint8Array> {
  try {
    yield* raw.iterator({ destroyOnReturn: false })
  } finally {
    raw.resume()
  }
}

const sendBytes = (reply: FastifyReply, { attachment, bytes }: ReadAttachment): FastifyReply => {
  const { mediaType, name, sizeBytes } = attachment
  return (
    reply
      .header('content-type', mediaType === 'text/csv' ? `${mediaType}; charset=utf-8` : mediaType)
      .header('content-length', sizeBytes)
      .header('content-disposition', dispositionOf(name))
      .header('x-content-type-options', 'nosniff')
      // A client that displays the file despite these headers still runs none of it.
      .header('content-security-policy', "sandbox; default-src 'none'")
      .header('cache-control', 'private, no-store')
      // Read one part ahead of the client instead of sixteen.
      .send(Readable.from(bytes, { highWaterMark: 1 }))
  )
}

const uploadErrors = {
  validation_failed:
    'The file is empty or has arrived incompletely, or `Content-Disposition` names no file.',
  state_conflict: "The upload exceeds the organization's quota. Ask support for more.",
  payload_too_large: 'The file is larger than 10 MiB.',
  unsupported_media_type: 'The type is not accepted, or the bytes are not of the stated type.',
} as const

export const attachmentRoutes =
  (ctx: AttachmentContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    // The handler reads the request as it arrives.
    app.addContentTypeParser([...MEDIA_TYPES], (_request, _payload, done) => done(null, ''))

    app.post(
      `${org}/attachments`,
      {
        config: { takesBytes: true },
        onRequest: async (request) => void mediaTypeOf(request),
        schema: {
          operationId: 'uploadAttachment',
          summary: 'Upload an attachment',
          description:
            'For any member. The body is the file itself, with its own `Content-Type` and its ' +
            "name in `Content-Disposition`; it counts towards the organization's quota. Next, " +
            'list the returned id in `attachmentIds` of an expense: an upload that no expense ' +
            'uses within 24 hours is removed. At most two expenses can use it.',
          'x-extension': true,
          tags,
          params: OrganizationParams,
          headers: UploadHeaders,
          consumes: [...MEDIA_TYPES],
          body: UploadBody,
          response: answers(
            201,
            component(AttachmentSchema),
            [400, 401, 403, 409, 413, 415],
            uploadErrors,
          ),
        },
      },
      async (request, reply) => {
        const mediaType = mediaTypeOf(request)
        const answer = await uploadAttachment(ctx, {
          actor: memberOf(request),
          mediaType,
          name: fileNameOf(request.headers['content-disposition'], mediaType),
          statedBytes: statedBytesOf(request),
          source: bodyOf(request),
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )

    app.get(
      `${org}/attachments/:attachmentId`,
      {
        schema: {
          operationId: 'downloadAttachment',
          summary: 'Download an attachment',
          description:
            'For the uploader, and for members who can see an expense with the attachment. The ' +
            'bytes are compared with the SHA-256 of the upload before the last of them is sent. ' +
            'They are always served as a download, never inline.',
          'x-extension': true,
          tags,
          params: AttachmentParams,
          response: answers(200, DownloadSchema as never, [401, 403, 404], {
            not_found: 'There is no such attachment, or the caller cannot see it.',
          }),
        },
      },
      async (request, reply) => {
        const { attachmentId } = request.params
        const found = await readAttachment(ctx, { member: memberOf(request), attachmentId })
        return sendBytes(reply, found)
      },
    )
  }
