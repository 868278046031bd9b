/** Name and verified e-mail address of an ID token. Unusable values are ignored, never an error. */
import type { JWTPayload } from 'jose'
import { isEmail, isLine } from '#platform/values.ts'
import type { IdentityProfile } from '#ports/identity-provider.ts'

const NAME_MAX = 100

function nameOf({ name }: JWTPayload): string | null {
  if (typeof name !== 'string') return null
  const trimmed = name.trim()
  return isLine(trimmed, { max: NAME_MAX }) ? trimmed : null
}

/** Some providers write `email_verified` as a string. */
function emailOf({ email, email_verified: verified }: JWTPayload): string | null {
  if (verified !== true && verified !== 'true') return null
  if (typeof email !== 'string') return null
  const trimmed = email.trim()
  // Checked before: lower case makes ASCII letters of other characters (U+212A becomes k).
  return isEmail(trimmed) ? trimmed.toLowerCase() : null
}

export const profileOf = (payload: JWTPayload): IdentityProfile => ({
  name: nameOf(payload),
  email: emailOf(payload),
})
