/**
 * Compares files with the attachments of the paid revision. The revision's hash covers the SHA-256
 * of each attachment, so a file that matches is the one that the approver signed for. Pure.
 */
import type { Evidence } from './evidence.ts'
import { type Finding, says } from './verify-evidence.ts'

/** A file that the user has, with the SHA-256 of its bytes as 64 lower-case hex digits. */
export type CheckedFile = { name: string; sha256: string }

const attachmentsOf = ({ revision }: Evidence) =>
  (revision.attachments ?? []).map((attachment, index) => ({ ...attachment, number: index + 1 }))

/** Each file must be one of the attachments, under whatever name. */
export function fileFindings(evidence: Evidence, files: readonly CheckedFile[]): Finding[] {
  const attachments = attachmentsOf(evidence)
  return files.map(({ name, sha256 }) => {
    const found = attachments.filter((attachment) => attachment.sha256 === sha256)
    const matched = found.map((attachment) => `attachment ${attachment.number}`).join(', ')
    const detail =
      found.length > 0
        ? `is ${matched}`
        : `is none of the revision's ${attachments.length} attachments; its sha256 is ${sha256}`
    return says(`file ${name}`, found.length > 0, detail)
  })
}

/** The attachments whose bytes nobody has compared. */
export function filesNotGiven(evidence: Evidence, files: readonly CheckedFile[]): string[] {
  const given = new Set(files.map(({ sha256 }) => sha256))
  return attachmentsOf(evidence)
    .filter(({ sha256 }) => !given.has(sha256))
    .map(
      ({ number, name, sha256 }) =>
        `the bytes of attachment ${number} (${JSON.stringify(name)}, sha256 ${sha256}): ` +
        'pass --file PATH',
    )
}
