/**
 * Reads HTTP bodies of bounded size. Every HTTP client of the service uses it, so that no response
 * exhausts the memory. The caller's time-out covers the whole read.
 */

/** Larger than any answer of a provider, a model or an identity provider. */
export const ANSWER_BYTES_MAX = 256 * 1024

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
  readonly size: number

  constructor(size: number) {
    super('The body is too large')
    this.size = size
  }
}

/** Counts decompressed bytes, not the announced length. Rejects with `BodyTooLarge`. */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  bytesMax: number,
): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    // Leaving the loop cancels the stream.
    if (size > bytesMax) throw new BodyTooLarge(size)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
