import { createHash, randomUUID } from 'node:crypto'
import { access, constants, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { StartupError } from '#platform/errors.ts'

export type DataFolder = {
  /** Absolute, with symbolic links resolved. */
  path: string
  release(): Promise<void>
}

/**
 * Claims the folder for this process by listening on a socket. The kernel releases it when the
 * process ends, however it ends, so unlike a lock file it never goes stale.
 */
export async function claimDataFolder({ folder }: { folder: string }): Promise<DataFolder> {
  const path = await makeFolder({ folder })
  const address = claimAddress({ path })
  const server =
    (await listen({ address })) ??
    ((await clearStaleSocket({ address })) ? await listen({ address }) : undefined)
  if (server === undefined) {
    throw new StartupError(
      `The data folder ${path} is in use by a running service. ` +
        'Stop it, or set DATA_DIR to another folder.',
    )
  }
  return { path, release: () => close({ server }) }
}

export async function isDataFolderInUse({ folder }: { folder: string }): Promise<boolean> {
  try {
    return await isListening({ address: claimAddress({ path: await realpath(folder) }) })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false
    throw error
  }
}

/** Reads the secret of that name or creates it. The returned secret is on disk. */
export async function loadOrCreateSecret({
  folder,
  name,
  make,
}: {
  folder: string
  name: string
  make: () => string
}): Promise<string> {
  const path = join(folder, name)
  try {
    const kept = (await readFile(path, 'utf8')).trim()
    if (kept !== '') return kept
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      throw new StartupError(`Cannot read the secret ${path}: ${reasonOf(error)}.`)
    }
  }
  const secret = make()
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${secret}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
    await syncFolder({ folder })
  } catch (error) {
    await rm(draft, { force: true })
    throw new StartupError(`Cannot write the secret ${path}: ${reasonOf(error)}.`)
  }
  return secret
}

/** A rename survives a power cut only after its folder is flushed. */
export async function syncFolder({ folder }: { folder: string }): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A system code such as ENOENT or a PostgreSQL code such as 28P01; empty for any other error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}

/** The system's message ("permission denied") without the call and the path around it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('errno' in error && typeof error.errno === 'number') return getSystemErrorMessage(error.errno)
  return error.message
}

async function makeFolder({ folder }: { folder: string }): Promise<string> {
  const wanted = resolve(folder)
  try {
    await mkdir(wanted, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = ['EEXIST', 'ENOTDIR'].includes(codeOf(error)) ? 'not a folder' : reasonOf(error)
    throw new StartupError(`Cannot create the data folder ${wanted}: ${reason}.`)
  }
  try {
    await access(wanted, constants.R_OK | constants.W_OK | constants.X_OK)
    return await realpath(wanted)
  } catch (error) {
    throw new StartupError(`Cannot write to the data folder ${wanted}: ${reasonOf(error)}.`)
  }
}

function claimAddress({ path }: { path: string }): string {
  const hash = createHash('sha256').update(path).digest('hex')
  // Other systems lack abstract sockets, and the path of a socket file may have at most 104 bytes.
  return process.platform === 'linux'
    ? `\0countersign:${hash}`
    : join(tmpdir(), `countersign-${hash.slice(0, 32)}.sock`)
}

/** Undefined when the address is in use. */
function listen({ address }: { address: string }): Promise<Server | undefined> {
  const { promise, resolve: settle, reject } = Promise.withResolvers<Server | undefined>()
  const server = createServer((socket: Socket) => socket.destroy())
  server.on('error', (error) =>
    codeOf(error) === 'EADDRINUSE'
      ? settle(undefined)
      : reject(new StartupError(`Cannot claim the data folder: ${reasonOf(error)}.`)),
  )
  server.listen({ path: address, exclusive: true }, () => {
    server.unref()
    settle(server)
  })
  return promise
}

function close({ server }: { server: Server }): Promise<void> {
  // Releasing twice is harmless: close() then only reports that the server was not listening.
  return new Promise((settle) => server.close(() => settle()))
}

function isListening({ address }: { address: string }): Promise<boolean> {
  const { promise, resolve: settle } = Promise.withResolvers<boolean>()
  const socket = connect({ path: address })
  socket.once('connect', () => settle(true))
  // Any other error, such as a full backlog, comes from a live listener.
  socket.once('error', (error) => settle(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))))
  return promise.finally(() => socket.destroy())
}

async function clearStaleSocket({ address }: { address: string }): Promise<boolean> {
  if (process.platform === 'linux') return false
  if (await isListening({ address })) return false
  // Moved aside first, so that a file another process has just created can be restored.
  const aside = `${address}.${randomUUID().slice(0, 8)}`
  try {
    await rename(address, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    throw error
  }
  if (await isListening({ address: aside })) {
    await rename(aside, address)
    return false
  }
  await rm(aside, { force: true })
  return true
}
