/** Checks an exported audit trail, without the service, a database or any configuration. */
import { createReadStream } from 'node:fs'
import { type CheckedTrail, checkTrail, type TrailProblem } from '@countersign/proof/check-trail.ts'
import { isUuid } from '@countersign/proof/values.ts'
import { StartupError } from '#platform/errors.ts'
import { readKeptHeads } from './audit-heads.ts'
import { unusable } from './input.ts'

const PROBLEMS_SHOWN = 20

type Options = { organization: string | undefined; heads: readonly string[] }

export async function verifyTrailFile(
  path: string,
  { organization, heads: named }: Options,
): Promise<string> {
  if (organization !== undefined && !isUuid(organization)) {
    throw unusable('--organization must be the id of an organization.')
  }
  const heads = await readKeptHeads(named, unusable)
  const pins = { heads, ...(organization && { organizationId: organization }) }
  const checked = await checkTrail(bytesOf(path), pins)
  const lines = [...checkedLines(checked), ...checked.notShown.map((what) => `not shown: ${what}`)]
  if (checked.verdict !== 'refused') return [...lines, conclusionOf(checked)].join('\n')
  const verdict = 'REFUSED: the file is not the audit trail as the service recorded it.'
  throw new StartupError([...problemLines(checked), verdict].join('\n'))
}

/** `-` means standard input. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const stream = path === '-' ? process.stdin : createReadStream(path)
  try {
    for await (const chunk of stream) yield chunk
  } catch (cause) {
    throw unusable(`Cannot read the file ${path}.`, cause)
  }
}

function checkedLines({ organizationId, events, firstAt, lastAt, ...checked }: CheckedTrail) {
  return [
    `organization ${organizationId}: events 1 to ${events}, from ${firstAt} to ${lastAt}`,
    'ok   every event has the digest of its fields',
    'ok   every event follows the one before it: none is missing, repeated or moved',
    'ok   the head at the end of the file is that of its last event',
    ...checked.confirmedHeads.map(
      ({ sequence }) => `ok   events 1 to ${sequence} are those of the kept head`,
    ),
    ...(checked.otherHeads > 0
      ? [`not used: kept heads of other trails (${checked.otherHeads})`]
      : []),
  ]
}

const conclusionOf = ({ verdict }: CheckedTrail): string =>
  verdict === 'confirmed'
    ? 'VERIFIED: the file is complete and unchanged up to the kept head.'
    : 'CONSISTENT with itself. To show that it is the original, pass --head SEQUENCE:HASH.'

function problemLines({ problems, problemCount }: CheckedTrail): string[] {
  const more = problemCount - PROBLEMS_SHOWN
  return [
    ...problems.slice(0, PROBLEMS_SHOWN).map(problemLine),
    ...(more > 0 ? [`NO   and ${more} more`] : []),
  ]
}

function problemLine({ line, sequence, problem }: TrailProblem): string {
  const where = [
    ...(line === null ? [] : [`line ${line}`]),
    ...(sequence === null ? [] : [`event ${sequence}`]),
  ].join(', ')
  return `NO   ${where === '' ? '' : `${where}: `}${problem}`
}
