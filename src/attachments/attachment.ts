/** What an attachment is: its limits, and the media types that are accepted. Pure. */

export const MEDIA_TYPES = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/webp',
  'text/csv',
] as const

export type MediaType = (typeof MEDIA_TYPES)[number]

/** The file extensions of each type. The first is appended to a name that has none of them. */
export const extensions: Record<MediaType, readonly [string, ...string[]]> = {
  'application/pdf': ['.pdf'],
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/webp': ['.webp'],
  'text/csv': ['.csv'],
}

const MIB = 1024 * 1024
const SIZE_MAX_MIB = 10

export const SIZE_MAX_BYTES = SIZE_MAX_MIB * MIB
export const TOO_LARGE = `An attachment may have at most ${SIZE_MAX_MIB} MiB. Send a smaller file.`

export const toBytes = (mib: number): number => mib * MIB

/** An upload that no expense uses is removed after this time. */
export const KEPT_SECONDS = 24 * 60 * 60

/** The analysis flags the second expense that uses an attachment; a third is refused. */
export const EXPENSES_MAX = 2

export type AttachmentRecord = {
  id: string
  name: string
  mediaType: MediaType
  sizeBytes: number
  /** 64 lower-case hex digits. */
  sha256: string
  createdAt: string
}
