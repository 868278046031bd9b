/**
 * The name of an attachment, from a Content-Disposition header (RFC 6266, with RFC 8187 for
 * `filename*`), made safe to save on any system. Pure.
 */
import contentDisposition from 'content-disposition'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import { extensions, type MediaType } from './attachment.ts'

const LENGTH_MAX = 200
const ADVICE = 'Send a header such as Content-Disposition: attachment; filename="receipt.pdf".'

const invalid = (problem: string) =>
  new AppError('validation_failed', { message: `${problem} ${ADVICE}` })

function statedName(header: string): string {
  const { filename } = parsed(header)
  if (filename === undefined) throw invalid('The Content-Disposition header has no filename.')
  return asUtf8(filename)
}

function parsed(header: string): Record<string, string> {
  try {
    return contentDisposition.parse(header).parameters
  } catch {
    throw invalid('The Content-Disposition header is malformed.')
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Many clients send UTF-8 in `filename`, which HTTP reads as Latin-1. */
function asUtf8(text: string): string {
  if (/[\u0100-\u{10ffff}]/u.test(text)) return text
  try {
    return decoder.decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}

/** Removes folders and invisible characters, and replaces those that file systems refuse. */
const cleaned = (name: string): string =>
  (name.normalize('NFC').split(/[/\\]/).at(-1) ?? '')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')

/** Ensures an extension of the media type, so that a download opens as the checked type. */
function withExtension(name: string, mediaType: MediaType): string {
  const endings = extensions[mediaType]
  const own = endings.find((ending) => name.toLowerCase().endsWith(ending))
  const stem = own === undefined ? name : name.slice(0, -own.length)
  const ending = own === undefined ? endings[0] : name.slice(-own.length)
  return [...stem].slice(0, LENGTH_MAX - ending.length).join('') + ending
}

export function fileNameOf(header: string, mediaType: MediaType): string {
  const name = cleaned(statedName(header))
  if (!isVisible(name)) throw invalid('The name of the attachment has no visible character.')
  return withExtension(name, mediaType)
}

/** For a download: never shown inline, with an ASCII form for old clients. */
export const dispositionOf = (name: string): string => contentDisposition(name)
