/**
 * Reads an upload part by part: counts, hashes and checks the bytes while they pass. At most one
 * part is in memory.
 */
import { createHash } from 'node:crypto'
import { AppError } from '#platform/errors.ts'
import { type MediaType, SIZE_MAX_BYTES, TOO_LARGE } from './attachment.ts'
import { checkMediaType } from './media-type-check.ts'

/** Larger than what a socket delivers at once, so that a file takes few transactions. */
const PART_BYTES = 256 * 1024

export type ReceivedBytes = { sizeBytes: number; sha256: string }

export type Receiving = {
  /** Throws when the upload ends early, is too large, empty, or not of its media type. */
  parts: AsyncIterable<Uint8Array>
  /** After the last part. */
  received(): ReceivedBytes
}

export function receiveBytes(source: AsyncIterable<Uint8Array>, mediaType: MediaType): Receiving {
  const hash = createHash('sha256')
  const check = checkMediaType(mediaType)
  let sizeBytes = 0

  async function* checked() {
    for await (const bytes of arriving(source)) {
      sizeBytes += bytes.length
      if (sizeBytes > SIZE_MAX_BYTES)
        throw new AppError('payload_too_large', { message: TOO_LARGE })
      check.push(bytes)
      hash.update(bytes)
      yield bytes
    }
    if (sizeBytes === 0) {
      throw new AppError('validation_failed', { message: 'The attachment is empty. Send a file.' })
    }
    check.end()
  }

  return {
    parts: regrouped(checked()),
    received: () => ({ sizeBytes, sha256: hash.digest('hex') }),
  }
}

/** A client that disconnects is not a failure of the service. */
async function* arriving(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* source
  } catch (cause) {
    throw new AppError('validation_failed', {
      message: 'The upload ended before the whole file had arrived. Send it again.',
      cause,
    })
  }
}

/** Parts of `PART_BYTES`; the last one is what is left. */
async function* regrouped(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const bytes of source) {
    held.push(bytes)
    heldBytes += bytes.length
    if (heldBytes < PART_BYTES) continue
    const all = Buffer.concat(held, heldBytes)
    let start = 0
    for (; heldBytes - start >= PART_BYTES; start += PART_BYTES) {
      yield all.subarray(start, start + PART_BYTES)
    }
    held = [all.subarray(start)]
    heldBytes -= start
  }
  if (heldBytes > 0) yield Buffer.concat(held, heldBytes)
}
