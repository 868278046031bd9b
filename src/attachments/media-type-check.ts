/** Checks while bytes arrive that they are of the stated media type. Pure. */
import { AppError } from '#platform/errors.ts'
import type { MediaType } from './attachment.ts'

export type MediaTypeCheck = {
  /** Throws as soon as the bytes so far cannot be of the type. */
  push(bytes: Uint8Array): void
  /** Throws if the complete bytes are not of the type. */
  end(): void
}

const ascii = (text: string) => [...Buffer.from(text, 'latin1')]
const any = (count: number) => Array.from({ length: count }, () => undefined)

/** The first bytes of each type; undefined is any byte. */
const signatures: Record<Exclude<MediaType, 'text/csv'>, readonly (number | undefined)[]> = {
  'application/pdf': ascii('%PDF-'),
  'image/png': ascii('\x89PNG\r\n\x1a\n'),
  'image/jpeg': ascii('\xff\xd8\xff'),
  'image/webp': [...ascii('RIFF'), ...any(4), ...ascii('WEBP')],
}

const refusal = (mediaType: MediaType) =>
  new AppError('unsupported_media_type', {
    message: `The bytes are not ${mediaType}. Send the file with its own media type.`,
  })

function startsWith(mediaType: keyof typeof signatures): MediaTypeCheck {
  const signature = signatures[mediaType]
  let seen = 0
  return {
    push(bytes) {
      for (const byte of bytes.subarray(0, signature.length - seen)) {
        const wanted = signature[seen]
        if (wanted !== undefined && byte !== wanted) throw refusal(mediaType)
        seen += 1
      }
    },
    end() {
      if (seen < signature.length) throw refusal(mediaType)
    },
  }
}

/** Any UTF-8 text without NUL: there is no agreement on what else makes a CSV file. */
function isText(mediaType: MediaType): MediaTypeCheck {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw refusal(mediaType)
    }
  }
  return {
    push(bytes) {
      if (bytes.includes(0)) throw refusal(mediaType)
      decode(bytes)
    },
    end: () => decode(),
  }
}

export const checkMediaType = (mediaType: MediaType): MediaTypeCheck =>
  mediaType === 'text/csv' ? isText(mediaType) : startsWith(mediaType)
