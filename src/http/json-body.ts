/**
 * Parses JSON request bodies strictly. JSON.parse silently keeps the last of two equal keys, and
 * lenient decoding replaces invalid UTF-8; both would change what the caller sent, so both are
 * rejected.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'

export const BODY_MAX_BYTES = 64 * 1024

/**
 * RFC 9110: media type and charset are case-insensitive; the charset is a token or a quoted string.
 */
const CONTENT_TYPE = /^application\/json(?:; ?charset=(?:utf-8|"utf-8"))?$/i
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = decoder.decode(bytes)
    const value = JSON.parse(text)
    rejectDuplicateKeys(text)
    return value
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('malformed_json')
  }
}

/** Expects text that is already known to be valid JSON, so only strings and brackets matter. */
function rejectDuplicateKeys(text: string): void {
  const objects: (Set<string> | undefined)[] = []
  let expectsKey = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (expectsKey) addKey(objects.at(-1), JSON.parse(text.slice(at, end + 1)))
      expectsKey = false
      at = end
    } else if (character === '{') {
      objects.push(new Set())
      expectsKey = true
    } else if (character === '[') {
      objects.push(undefined)
    } else if (character === '}' || character === ']') {
      objects.pop()
      expectsKey = false
    } else if (character === ',') {
      expectsKey = objects.at(-1) !== undefined
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function addKey(keys: Set<string> | undefined, key: string): void {
  if (key === '__proto__' || keys?.has(key)) {
    throw new AppError('malformed_json', {
      message: 'The body repeats a key or contains `__proto__`. Remove it and try again.',
    })
  }
  keys?.add(key)
}

/**
 * Fastify's own content-type matching has been bypassed before, so only these exact values pass.
 */
async function requireJson(request: FastifyRequest): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (request.routeOptions.config.takesBytes) return
  const type = request.headers['content-type']
  if (type !== undefined && !CONTENT_TYPE.test(type)) throw new AppError('unsupported_media_type')
}

export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parseJson(body),
  )
  app.addHook('onRequest', requireJson)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file, which the route reads as it arrives. */
    takesBytes?: boolean
  }
}
