import type { Failure } from '@countersign/client/errors.ts'

/** The service tells its limits apart in its sentence, and nowhere else. */
const SENTENCES = [
  ['lock', /locked after three failed attempts/],
  ['hourly', /five exports an hour/],
] as const

export type ExportLimit = (typeof SENTENCES)[number][0]

/** Null for other failures, such as too many requests of any kind. */
export const exportLimitOf = ({
  code,
  message,
}: Pick<Failure, 'code' | 'message'>): ExportLimit | null =>
  code === 'rate_limited'
    ? (SENTENCES.find(([, sentence]) => sentence.test(message))?.[0] ?? null)
    : null

/** "4:31", and "0:00" at the end. */
export function countdown(expiresAt: string, now: Date): string {
  const seconds = Math.max(0, Math.floor((new Date(expiresAt).getTime() - now.getTime()) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
