/** The response headers in the document, and a description for answers that have none. */
import { extension } from '#platform/values.ts'
import type { Operation } from './openapi-names.ts'

type Header = { $ref: string } | { description?: string; schema: object }
type Response = { description?: string; headers?: Record<string, Header> }

const string = (rest: { enum?: string[]; pattern?: string } = {}) => ({
  type: 'string' as const,
  ...rest,
})

/** Shared by many answers. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'The id of this request, as in the logs and in `requestId` of an error.',
    schema: string(),
    ...extension,
    example: '0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer to an earlier request with the same key.',
    schema: string({ enum: ['true'] }),
    ...extension,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt, where waiting helps.',
    schema: string({ pattern: '^[0-9]+$' }),
    ...extension,
    example: '12',
  },
  'WWW-Authenticate': {
    description: 'Always `Bearer`.',
    schema: string({ enum: ['Bearer'] }),
    ...extension,
  },
}

const ref = (name: keyof typeof headerComponents): Record<string, Header> => ({
  [name]: { $ref: `#/components/headers/${name}` },
})

const words: Record<string, string> = {
  200: 'The answer.',
  201: 'Created.',
  202: 'Accepted: the work goes on after this answer.',
  204: 'Done. There is no body.',
}

const MAY_BE_RETRIED = ['409', '429', '503', 'default']

export function writeHeaders({ parameters = [], responses = {} }: Operation): void {
  const hasKey = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')
  for (const [status, response] of Object.entries(responses as Record<string, Response>)) {
    if (response.description === 'Default Response') {
      response.description = words[status] ?? 'The answer.'
    }
    response.headers = {
      ...ref('X-Request-Id'),
      ...(hasKey && status.startsWith('2') && ref('Idempotent-Replayed')),
      ...(status === '401' && ref('WWW-Authenticate')),
      ...(MAY_BE_RETRIED.includes(status) && ref('Retry-After')),
      ...response.headers,
    }
  }
}
