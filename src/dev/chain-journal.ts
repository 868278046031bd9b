/**
 * The journal of the local chain, one JSON line per input. The engine keeps no state, so a start
 * replays the journal.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { StartupError } from '#platform/errors.ts'
import { reasonOf, syncFolder } from './data-folder.ts'

type Header = { version: 1; chainId: number; genesisTime: number; genesis: Hex }

export type Entry =
  /** A transaction entered the pool; a named one is a deployment to find again. */
  | { tx: Hex; name?: string }
  /** A transaction was removed from the pool. */
  | { drop: Hex }
  /** A block was mined from everything minable in the pool at that time. */
  | { block: number; at: number; hash: Hex }
  /** The engine was changed by a test method; the hash is that of the head after it. */
  | { call: string; params: readonly unknown[]; hash: Hex }

export type Journal = {
  /** Undefined for a chain that has not started. */
  header: Header | undefined
  entries: Entry[]
  begin(header: Header): Promise<void>
  /**
   * Resolves when the operating system has the lines: they survive the end of this process, but
   * perhaps not a power cut.
   */
  write(entries: readonly Entry[]): Promise<void>
  /** Resolves when everything written so far is on disk. */
  synced(): Promise<void>
  close(): Promise<void>
}

const NAME = 'journal.jsonl'

export async function openJournal({ folder }: { folder: string }): Promise<Journal> {
  const path = join(folder, NAME)
  let file: FileHandle
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    file = await open(path, 'a+', 0o600)
  } catch (error) {
    throw new StartupError(`Cannot open ${path} of the local chain: ${reasonOf(error)}.`)
  }
  try {
    const [header, ...entries] = await readLines({ file, folder })
    return createJournal({ file, folder, header: header as Header | undefined, entries })
  } catch (error) {
    await file.close()
    throw error
  }
}

export function brokenJournal({ folder, why }: { folder: string; why: string }): StartupError {
  return new StartupError(
    `Cannot rebuild the local chain from ${join(folder, NAME)}: ${why}. ` +
      `Delete the folder ${folder} to start a new chain; the old one is then lost.`,
  )
}

async function readLines({ file, folder }: { file: FileHandle; folder: string }) {
  const bytes = await file.readFile()
  const whole = bytes.lastIndexOf(0x0a) + 1
  const lines = bytes.toString('utf8', 0, whole).split('\n').slice(0, -1)
  const parsed = lines.map(parseLine)
  let kept = whole
  // Only the last line can be incomplete, and an incomplete line was never acknowledged.
  if (parsed.length > 0 && parsed.at(-1) === undefined) {
    parsed.pop()
    kept -= Buffer.byteLength(lines.at(-1) ?? '') + 1
  }
  const bad = parsed.indexOf(undefined)
  if (bad >= 0) throw brokenJournal({ folder, why: `line ${bad + 1} is damaged` })
  if (kept < bytes.length) {
    await file.truncate(kept)
    await file.sync()
  }
  return parsed as [Header?, ...Entry[]]
}

function parseLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function createJournal(o: {
  file: FileHandle
  folder: string
  header: Header | undefined
  entries: Entry[]
}): Journal {
  const { file, folder, header, entries } = o
  let written = 0
  let onDisk = 0
  let syncing: Promise<void> | undefined

  const append = async (lines: readonly (Header | Entry)[]) => {
    await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    written += 1
  }
  const sync = async () => {
    const upTo = written
    try {
      await file.datasync()
      onDisk = upTo
    } finally {
      syncing = undefined
    }
  }
  return {
    header,
    entries,
    async begin(first) {
      await append([first])
      await file.sync()
      await syncFolder({ folder })
      onDisk = written
    },
    write: append,
    async synced() {
      const upTo = written
      // One flush serves all waiters; a flush that began before our write does not count.
      while (onDisk < upTo) {
        syncing ??= sync()
        await syncing
      }
    },
    close: () => file.close(),
  }
}
