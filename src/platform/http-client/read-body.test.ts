import { describe, expect, test } from 'vitest'
import { BodyTooLarge, readBody, tryParseJson } from './read-body.ts'

const bodyOf = (...parts: string[]) => new Blob(parts).stream()

describe('readBody', () => {
  test('joins the parts, also where a character spans two of them', async () => {
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]
    const parts = async function* () {
      yield first
      yield second
    }
    expect(await readBody(parts(), 2)).toBe('é')
  })

  test('accepts exactly the limit and rejects one byte more with its size', async () => {
    expect(await readBody(bodyOf('abc'), 3)).toBe('abc')
    const error = await readBody(bodyOf('abcd'), 3).catch((reason) => reason)
    expect(error).toBeInstanceOf(BodyTooLarge)
    expect(error).toMatchObject({ size: 4 })
    expect(error.message).not.toContain('abc')
  })

  test('cancels the rest of a body that is too large', async () => {
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      cancel: () => {
        isCancelled = true
      },
    })
    await expect(readBody(endless, 10_000)).rejects.toBeInstanceOf(BodyTooLarge)
    expect(isCancelled).toBe(true)
  })

  test('returns an empty text for an answer without a body', async () => {
    expect(await readBody(null, 1)).toBe('')
  })
})

test('tryParseJson returns undefined for text that is not JSON', () => {
  expect(tryParseJson('{"a":1}')).toEqual({ a: 1 })
  expect(tryParseJson('{"a":1')).toBeUndefined()
  expect(tryParseJson('')).toBeUndefined()
})
