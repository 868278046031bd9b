import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type MediaType, SIZE_MAX_BYTES } from './attachment.ts'
import { receiveBytes } from './receive-bytes.ts'

const KIB = 1024

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function received(source: AsyncIterable<Uint8Array>, mediaType: MediaType) {
  const { parts, received: result } = receiveBytes(source, mediaType)
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return { parts: all, ...result() }
}

const refused = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) })

const file = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(SIZE_MAX_BYTES - 8, 7)])

describe('the bytes of an upload', () => {
  test.each([1, 7, 64 * KIB, 300 * KIB, SIZE_MAX_BYTES])(
    'are hashed, counted and cut into parts of 256 KiB when they arrive %i at a time',
    async (size) => {
      const bytes = size < KIB ? file.subarray(0, 600 * KIB + 3) : file
      const { parts, sizeBytes, sha256 } = await received(inPieces(bytes, size), 'application/pdf')
      expect(sizeBytes).toBe(bytes.length)
      expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
      expect(Buffer.concat(parts).equals(bytes)).toBe(true)
      expect(parts.slice(0, -1).every((part) => part.length === 256 * KIB)).toBe(true)
    },
  )

  test('are not read ahead: at most one part is held', async () => {
    let pulled = 0
    async function* counted() {
      for await (const piece of inPieces(file, 64 * KIB)) {
        pulled += piece.length
        yield piece
      }
    }
    let taken = 0
    let held = 0
    for await (const part of receiveBytes(counted(), 'application/pdf').parts) {
      held = Math.max(held, pulled - taken)
      taken += part.length
    }
    expect(taken).toBe(SIZE_MAX_BYTES)
    expect(held).toBeLessThanOrEqual(256 * KIB)
  })

  test('are refused when there is one too many, before it is passed on', async () => {
    const larger = Buffer.concat([file, Buffer.of(0)])
    await expect(received(inPieces(larger, 64 * KIB), 'application/pdf')).rejects.toThrow(
      refused('payload_too_large', 'at most 10 MiB'),
    )
  })

  test('are refused when there are none', async () => {
    await expect(received(inPieces(Buffer.alloc(0), 1), 'text/csv')).rejects.toThrow(
      refused('validation_failed', 'empty'),
    )
  })

  test('are refused at the first byte that is not of the type', async () => {
    let pulled = 0
    async function* counted() {
      for await (const piece of inPieces(Buffer.from('%PDX-1.7'), 1)) {
        pulled += 1
        yield piece
      }
    }
    await expect(received(counted(), 'application/pdf')).rejects.toThrow(
      refused('unsupported_media_type', 'not application/pdf'),
    )
    expect(pulled).toBe(4)
  })

  test('may have a character of CSV in two pieces', async () => {
    const { sizeBytes } = await received(inPieces(Buffer.from('€;🧾\n'), 1), 'text/csv')
    expect(sizeBytes).toBe(9)
  })

  test('that end early are reported as a broken upload', async () => {
    async function* broken() {
      yield Buffer.from('%PDF-1.7')
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    }
    await expect(received(broken(), 'application/pdf')).rejects.toThrow(
      refused('validation_failed', 'ended before the whole file'),
    )
  })
})
