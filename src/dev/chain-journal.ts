/** What the local chain was told, line by line: the engine keeps no state, so it is told again. */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { StartupError } from '#platform/errors.ts'
import { reasonOf, syncFolder } from './data-folder.ts'

type Header = { version: 1; chainId: number; genesisTime: number; genesis: Hex }

export type Entry =
  /** A transaction went into the pool; one with a name is a deployment to be found again. */
  | { tx: Hex; name?: string }
  /** A transaction was taken out of the pool. */
  | { drop: Hex }
  /** All that could be mined was mined: the pool before it and the time make the block. */
  | { block: number; at: number; hash: Hex }
  /** The engine was changed by other means; the hash is the head's after it. */
  | { call: string; params: readonly unknown[]; hash: Hex }

export type Journal = {
  /** Undefined for a chain that has not begun. */
  header: Header | undefined
  entries: Entry[]
  begin(header: Header): Promise<void>
  /** The system has it: the end of this process cannot take it back, a power cut may. */
  write(entries: readonly Entry[]): Promise<void>
  /** All that was written is on disk. */
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
    throw new StartupError(`The local chain's ${path} cannot be opened: ${reasonOf(error)}.`)
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
    `The local chain cannot be rebuilt from ${join(folder, NAME)}: ${why}. ` +
      `Delete the folder ${folder} to begin a new chain; what was on the old one is then gone.`,
  )
}

async function readLines({ file, folder }: { file: FileHandle; folder: string }) {
  const bytes = await file.readFile()
  const whole = bytes.lastIndexOf(0x0a) + 1
  const lines = bytes.toString('utf8', 0, whole).split('\n').slice(0, -1)
  const parsed = lines.map(parseLine)
  let kept = whole
  // Only the last line can be half written, and what is half written was never answered.
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
      // One flush serves all who wait; one that began before our write does not count.
      while (onDisk < upTo) {
        syncing ??= sync()
        await syncing
      }
    },
    close: () => file.close(),
  }
}
