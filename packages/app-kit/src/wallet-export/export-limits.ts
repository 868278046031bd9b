/** Five requests an hour are the one limit, a lock of a day the other. The wait tells them apart. */
const HOUR_MS = 3_600_000

export const isLock = (retryAfterMs: number | null): boolean => (retryAfterMs ?? 0) > HOUR_MS

/** "4:31", and "0:00" at the end. */
export function countdown(expiresAt: string, now: Date): string {
  const seconds = Math.max(0, Math.floor((new Date(expiresAt).getTime() - now.getTime()) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
