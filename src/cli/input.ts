/** Input of the commands that work without the service: files, addresses, URLs and exit codes. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { checksummed, isEvmAddress } from '@countersign/proof/values.ts'
import { parseJson } from '#http/json-body.ts'
import { AppError, StartupError } from '#platform/errors.ts'

/** Besides 0 (verified) and 1 (refused). */
export const EXIT = { unusable: 2, consistent: 3, nodeUnavailable: 4 } as const

const FILE_BYTES_MAX = 16 * 1024 * 1024
const DEPTH_MAX = 64

export const unusable = (message: string, cause?: unknown) =>
  new StartupError(message, { cause, exitCode: EXIT.unusable })

/** `-` means standard input. */
export async function readBytes(path: string): Promise<Buffer> {
  const fail = (cause: unknown) => {
    throw unusable(`Cannot read the file ${path}.`, cause)
  }
  if (path === '-') return readInput()
  const { size } = await stat(path).catch(fail)
  if (size > FILE_BYTES_MAX) throw unusable(`${path} is larger than 16 MiB.`)
  return readFile(path).catch(fail)
}

/** The SHA-256 of a file of any size. */
export async function hashFile(path: string): Promise<{ name: string; sha256: string }> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash).catch((cause) => {
    throw unusable(`Cannot read the file ${path}.`, cause)
  })
  return { name: basename(path), sha256: hash.digest('hex') }
}

async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of process.stdin) {
    parts.push(part)
    size += part.length
    if (size > FILE_BYTES_MAX) throw unusable('The input is larger than 16 MiB.')
  }
  return Buffer.concat(parts)
}

export const readJsonFile = async (path: string): Promise<unknown> =>
  parseJsonInput(await readBytes(path), path)

/** Rejects duplicate keys, because two readers of the same file could use different values. */
export function parseJsonInput(bytes: Uint8Array, name: string): unknown {
  const value = parse(bytes, name)
  if (depthOf(value) > DEPTH_MAX) throw unusable(`${name} is nested too deeply.`)
  return value
}

function parse(bytes: Uint8Array, name: string): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const hasDuplicate = error.message.includes('repeats a key')
    throw unusable(
      `${name} is not valid JSON${hasDuplicate ? ': it has a duplicate key' : ''}.`,
      error,
    )
  }
}

/** Iterative, because recursion would overflow on exactly the input that this rejects. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  for (let depth = 0; ; depth += 1) {
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
    if (level.length === 0 || depth > DEPTH_MAX) return depth
  }
}

export const isTypedAddress = (value: string): boolean =>
  isEvmAddress(value) && (value === value.toLowerCase() || value === checksummed(value))

export function isNodeUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}
