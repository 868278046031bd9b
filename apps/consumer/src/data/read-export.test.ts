import { transportFailure } from '@countersign/client/errors.ts'
import { describe, expect, it } from 'vitest'
import { readExport } from './read-export.ts'

const encoder = new TextEncoder()
const type = 'text/csv'

const answered = (source: UnderlyingDefaultSource<Uint8Array>) =>
  Promise.resolve({
    ok: true as const,
    data: new ReadableStream(source),
    status: 200,
    headers: new Headers(),
    attempts: 1,
  })

describe('an export', () => {
  it('is read to its end and tells how far it is', async () => {
    const seen: number[] = []
    const call = answered({
      start(controller) {
        controller.enqueue(encoder.encode('a,b\r\n'))
        controller.enqueue(encoder.encode('1,2\r\n'))
        controller.close()
      },
    })
    const { signal } = new AbortController()
    const read = await readExport(call, { type, signal, onBytes: (bytes) => seen.push(bytes) })
    if (!read?.ok) throw new Error('not read')
    expect(await read.file.text()).toBe('a,b\r\n1,2\r\n')
    expect(read.file.type).toBe(type)
    expect(seen).toEqual([5, 10])
  })

  it('that is stopped gives no half file', async () => {
    const stopping = new AbortController()
    let isCancelled = false
    const call = answered({
      pull: (controller) => controller.enqueue(encoder.encode('x')),
      cancel: () => {
        isCancelled = true
      },
    })
    const reading = readExport(call, {
      type,
      signal: stopping.signal,
      onBytes: (bytes) => bytes > 3 && stopping.abort(),
    })
    expect(await reading).toBeNull()
    expect(isCancelled).toBe(true)
  })

  it('that breaks off is a failure of the network, and no half file', async () => {
    const call = answered({
      start: (controller) => controller.enqueue(encoder.encode('a,b\r\n')),
      pull: (controller) => controller.error(new TypeError('network error')),
    })
    const { signal } = new AbortController()
    expect(await readExport(call, { type, signal })).toMatchObject({
      ok: false,
      failure: { code: 'network', treatment: 'wait', mayHaveTakenEffect: false },
    })
  })

  it('that the service refuses is its failure', async () => {
    const failure = transportFailure('network')
    const { signal } = new AbortController()
    const call = Promise.resolve({ ok: false as const, failure, attempts: 1 })
    expect(await readExport(call, { type, signal })).toMatchObject({ ok: false, failure })
  })

  it('that was stopped before its answer is nothing', async () => {
    const failure = transportFailure('aborted')
    const stopping = new AbortController()
    stopping.abort()
    const call = Promise.resolve({ ok: false as const, failure, attempts: 0 })
    expect(await readExport(call, { type, signal: stopping.signal })).toBeNull()
  })
})
