/** Conditional reads (RFC 9110): 304 if the client's entity tag still matches. */
import { Type } from '#platform/schema.ts'

export const IfNoneMatchHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description: 'ETag of an earlier response. The answer is 304 if nothing has changed since.',
      'x-extension': true,
    }),
  ),
})

export const ETagHeader = Type.String({
  description: 'Version of this response. Send it as If-None-Match with the next request.',
  'x-extension': true,
})

/** Add it to a route's `response`. */
export const notModified = {
  type: 'null',
  description: 'Nothing has changed since the response that If-None-Match names',
  headers: { ETag: ETagHeader },
  'x-extension': true,
} as const

/** Compares weakly against a list of tags, or against `*`. */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '')
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([candidate]) => candidate === opaque)
}
