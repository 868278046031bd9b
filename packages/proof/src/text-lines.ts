/** Splits bytes into lines while they arrive, so that a file of any size needs little memory. */

const LINE_MAX_CHARACTERS = 16 * 1024 * 1024

export class UnreadableText extends Error {
  override readonly name = 'UnreadableText'
}

/** Only a line feed ends a line: JSON strings may contain every other separator. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const chunk of chunks) {
    const parts = (rest + decode(decoder, chunk)).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
    if (rest.length > LINE_MAX_CHARACTERS) throw new UnreadableText('a line is too long')
  }
  rest += decode(decoder)
  if (rest !== '') yield rest
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch (cause) {
    throw new UnreadableText('it is not UTF-8 text', { cause })
  }
}
