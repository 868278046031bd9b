import { describe, expect, it } from 'vitest'
import { exportName, readAll } from './export-stream.ts'

const encoder = new TextEncoder()

describe('an export', () => {
  it('is read to its end and tells how far it is', async () => {
    const seen: number[] = []
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(encoder.encode('a,b\r\n'))
        controller.enqueue(encoder.encode('1,2\r\n'))
        controller.close()
      },
    })
    const { signal } = new AbortController()
    const blob = await readAll(stream, { signal, onBytes: (bytes) => seen.push(bytes) })
    expect(await blob?.text()).toBe('a,b\r\n1,2\r\n')
    expect(seen).toEqual([5, 10])
  })

  it('that is stopped gives no half file', async () => {
    const stopping = new AbortController()
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encoder.encode('x')),
      cancel: () => {
        isCancelled = true
      },
    })
    const reading = readAll(stream, {
      signal: stopping.signal,
      onBytes: (bytes) => bytes > 3 && stopping.abort(),
    })
    expect(await reading).toBeNull()
    expect(isCancelled).toBe(true)
  })

  it('is named for its period and format', () => {
    expect(exportName('plain', {})).toBe('payments')
    expect(exportName('xero', { from: '2026-01-01', to: '2026-01-31' })).toBe(
      'payments-2026-01-01-2026-01-31-xero',
    )
  })
})
