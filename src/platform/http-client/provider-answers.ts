/**
 * What a provider answers over HTTP: bounded, and sorted into done, refused and unknown. Nothing
 * of a body, ours or theirs, ever stands in an error: it can be a key.
 */
import { AppError } from '#platform/errors.ts'

const ANSWER_BYTES_MAX = 256 * 1024
const RETRY_AFTER_DEFAULT_SECONDS = 5
const RETRY_AFTER_MAX_SECONDS = 3_600

export type ProviderAnswer =
  | { outcome: 'done'; body: Record<string, unknown> }
  | { outcome: 'refused'; status: number; code: string }

export type Provider = {
  /** For the log. */
  name: string
  /** For the caller. */
  message: string
  /** The provider's short word for why; anything else than a word is left out. */
  codeOf(body: Record<string, unknown>): string
}

export type Hearing = {
  /** Rejects with `dependency_unavailable` where nobody can tell what became of the request. */
  hear(request: () => Promise<Response>): Promise<ProviderAnswer>
  unavailable(reason: string, retryAfter?: string | null): AppError
}

/** Statuses after which the same request may succeed, or may have. */
const isUnsure = (status: number): boolean =>
  status >= 500 || status < 200 || [408, 409, 425, 429].includes(status)

export function createHearing({ name, message, codeOf }: Provider): Hearing {
  const unavailable: Hearing['unavailable'] = (reason, retryAfter = null) => {
    const asked = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
    return new AppError('dependency_unavailable', {
      message,
      retryAfterSeconds: Math.min(asked || RETRY_AFTER_DEFAULT_SECONDS, RETRY_AFTER_MAX_SECONDS),
      cause: new Error(`${name} ${reason}`),
    })
  }
  return {
    unavailable,
    async hear(request) {
      const heard = await hearOut(request)
      if (!heard) throw unavailable('gave no answer')
      const { status, text, retryAfter } = heard
      if (isUnsure(status)) throw unavailable(`answered ${status}`, retryAfter)
      const body = parsed(text)
      if (status < 300 && body) return { outcome: 'done', body }
      if (status < 400) throw unavailable(`answered ${status} in a form that is not its own`)
      const code = codeOf(body ?? {})
      return { outcome: 'refused', status, code: /^[a-z0-9_]{1,60}$/.test(code) ? code : 'unknown' }
    },
  }
}

async function hearOut(request: () => Promise<Response>) {
  try {
    const response = await request()
    const text = await readBounded(response)
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') }
  } catch {
    return undefined
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > ANSWER_BYTES_MAX) throw new Error('too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
