/** Conditional reads (RFC 9110): 304 if the client's entity tag still matches. */
import { Type } from 'typebox'

export const IfNoneMatchHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description:
        'The ETag of an earlier answer. If nothing has changed since, the answer is 304.',
      'x-extension': true,
    }),
  ),
})

export const ETagHeader = Type.String({
  description: 'The version of this answer. Send it as If-None-Match with the next request.',
  'x-extension': true,
})

/** For a route's `response`. */
export const notModified = {
  type: 'null',
  description: 'Nothing has changed since the answer that If-None-Match names',
  headers: { ETag: ETagHeader },
  'x-extension': true,
} as const

/** A list of tags, compared weakly, or any at all. */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '')
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([given]) => given === opaque)
}
