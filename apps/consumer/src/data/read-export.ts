/**
 * Files that the service writes row by row. They are read as they arrive, because a large one takes
 * longer than an answer may, and half a file must never look like a whole one.
 */
import { type Failure, transportFailure } from '@countersign/client/errors.ts'
import type { Result } from '@countersign/client/result.ts'

type Bytes = ReadableStream<Uint8Array>
type Reading = { type: string; signal: AbortSignal; onBytes?(bytes: number): void }

/** `answer` is a call with `as: 'stream'`. Null if it was stopped. */
export async function readExport(
  answer: Promise<Result<Bytes>>,
  { type, signal, onBytes = () => {} }: Reading,
): Promise<{ ok: true; file: Blob } | { ok: false; failure: Failure } | null> {
  const answered = await answer
  if (signal.aborted) return null
  if (!answered.ok) return answered
  try {
    const chunks = await chunksOf(answered.data, { signal, onBytes })
    return chunks && { ok: true, file: new Blob(chunks, { type }) }
  } catch (cause) {
    if (signal.aborted) return null
    const lost = transportFailure('network', { mayHaveTakenEffect: false, cause })
    return { ok: false, failure: lost }
  }
}

async function chunksOf(
  stream: Bytes,
  { signal, onBytes }: { signal: AbortSignal; onBytes(bytes: number): void },
): Promise<Uint8Array<ArrayBuffer>[] | null> {
  const reader = stream.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const stop = () => void reader.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (signal.aborted) return null
      if (done) return chunks
      chunks.push(new Uint8Array(value))
      bytes += value.length
      onBytes(bytes)
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
