/** Formats audit heads for keeping outside the database, and parses them. */
import { readFile } from 'node:fs/promises'
import { isUuid } from '@countersign/proof/values.ts'
import type { KeptHead, OwnedHead } from '#journal/audit.ts'
import { StartupError } from '#platform/errors.ts'

/** Names the trail of events that belong to no organization. */
export const SERVICE = 'service'

const HEAD = /^(?:(?<owner>[^:]+):)?(?<sequence>[1-9][0-9]{0,15}):(?<hash>0x[0-9a-f]{64})$/i

/** One line for each head: `ORGANIZATION:SEQUENCE:HASH`. */
export const headLine = ({ organizationId, sequence, hash }: OwnedHead): string =>
  `${organizationId ?? SERVICE}:${sequence}:${hash}`

function toKeptHead(text: string): KeptHead | undefined {
  const { owner, sequence, hash } = HEAD.exec(text)?.groups ?? {}
  if (sequence === undefined || hash === undefined) return undefined
  const head = { sequence: Number(sequence), hash: hash.toLowerCase() }
  if (owner === undefined) return head
  if (owner === SERVICE) return { ...head, organizationId: null }
  return isUuid(owner) ? { ...head, organizationId: owner.toLowerCase() } : undefined
}

type Failure = (message: string) => StartupError

/** Accepts heads, and files with one head per line; skips empty lines and comments (#). */
export async function readKeptHeads(
  headsOrFiles: readonly string[],
  failure: Failure = (message) => new StartupError(message),
): Promise<KeptHead[]> {
  const read = headsOrFiles.map((headOrFile) => readHeads(headOrFile, failure))
  return (await Promise.all(read)).flat()
}

async function readHeads(headOrFile: string, failure: Failure): Promise<KeptHead[]> {
  const single = toKeptHead(headOrFile)
  if (single) return [single]
  const text = await readFile(headOrFile, 'utf8').catch(() => {
    throw failure(`${headOrFile} is neither a head (SEQUENCE:HASH) nor a readable file.`)
  })
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const head = toKeptHead(line)
      if (!head) throw failure(`${headOrFile} has a line that is not a head: ${line}`)
      return head
    })
}
