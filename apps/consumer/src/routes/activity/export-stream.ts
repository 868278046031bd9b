/** Reads a stream to its end, tells how far it is, and stops when asked. */
export async function readAll(
  stream: ReadableStream<Uint8Array>,
  { signal, onBytes }: { signal: AbortSignal; onBytes(bytes: number): void },
): Promise<Blob | null> {
  const reader = stream.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const stop = () => void reader.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      // Half a list of payments must not look like a whole one.
      if (signal.aborted) return null
      if (done) return new Blob(chunks, { type: 'text/csv' })
      chunks.push(new Uint8Array(value))
      bytes += value.length
      onBytes(bytes)
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export const exportName = (
  format: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): string => ['payments', from, to, format === 'plain' ? '' : format].filter(Boolean).join('-')
