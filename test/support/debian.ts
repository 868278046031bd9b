/**
 * Programs of Debian packages, for tests: installed, fetched earlier, or fetched now, without root,
 * into `node_modules/.cache`.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

export const run = promisify(execFile)

export const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')

/** Belongs to the machine: a second C library beside the machine's own would not start. */
const LIBC = /^(?:libc6|libc-bin|gcc-\d+-base)_/

/** What a program needs besides its libraries is in none of these. */
const NOT_NEEDED = ['bin', 'sbin', 'usr/share', 'usr/bin', 'usr/sbin', 'usr/include', 'var', 'etc']

/** Of the unpacked packages only one program and all libraries stay. */
async function keepOnly(program: string, root: string): Promise<void> {
  const kept = join(root, 'kept')
  await rename(join(root, program), kept)
  for (const path of NOT_NEEDED) await rm(join(root, path), { recursive: true, force: true })
  await mkdir(dirname(join(root, program)), { recursive: true })
  await rename(kept, join(root, program))
}

/** Of what a package depends on, a program needs at most these to run. */
const LIBRARY = /^z?lib(?!js-|perl)(?!.*-perl_)/

const LOCK_REFRESH_MS = 1_000
/** Its holder was killed. */
const LOCK_DEAD_MS = 30_000

async function takeLock(lock: string): Promise<void> {
  for (;;) {
    const isTaken = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (isTaken) return
    const held = await stat(lock).catch(() => undefined)
    if (held && Date.now() - held.mtimeMs > LOCK_DEAD_MS) await rm(lock, { recursive: true })
    await wait(LOCK_REFRESH_MS)
  }
}

/** One process fetches at a time, and makes the index; the others find what it has fetched. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const lock = join(CACHE, 'debian-lock')
  await takeLock(lock)
  const refreshing = setInterval(() => {
    const now = new Date()
    utimes(lock, now, now).catch(() => undefined)
  }, LOCK_REFRESH_MS)
  try {
    return await work()
  } finally {
    clearInterval(refreshing)
    await rm(lock, { recursive: true, force: true })
  }
}

/** After that, the archives may have other versions than the index. */
const INDEX_KEEP_MS = 3_600_000

/** The index of all packages, made once for all programs: it takes longer than most downloads. */
async function findIndex(): Promise<string[]> {
  const index = join(CACHE, 'debian-index')
  const optionsIn = (folder: string) => [
    ...['-o', `Dir::State=${folder}`, '-o', `Dir::State::status=${join(folder, 'status')}`],
    ...['-o', `Dir::Cache::pkgcache=${join(folder, 'pkgcache.bin')}`],
    ...['-o', `Dir::Cache::srcpkgcache=${join(folder, 'srcpkgcache.bin')}`],
    ...['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::https::Timeout=20'],
    ...['-o', 'Debug::NoLocking=1', '-o', 'APT::Sandbox::User=', '-qq', '-y'],
  ]
  const found = await stat(index).catch(() => undefined)
  if (found && Date.now() - found.mtimeMs < INDEX_KEEP_MS) return optionsIn(index)
  const fresh = await mkdtemp(`${index}-`)
  try {
    await mkdir(join(fresh, 'lists', 'partial'), { recursive: true })
    // An empty status: nothing counts as installed, so that nothing is left out.
    await writeFile(join(fresh, 'status'), '')
    await run('apt-get', [...optionsIn(fresh), 'update'], { timeout: 300_000 })
    await rm(index, { recursive: true, force: true })
    await rename(fresh, index)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return optionsIn(index)
}

/**
 * Downloads the package and everything that it depends on, and unpacks them into the folder: all of
 * them, or one program and the libraries.
 */
export async function fetchPackage(
  names: string | readonly string[],
  folder: string,
  program?: string,
): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  await alone(async () => {
    if (!existsSync(folder)) await fetchInto(folder, [names].flat(), program)
  })
}

async function fetchInto(
  folder: string,
  names: readonly string[],
  program: string | undefined,
): Promise<void> {
  const work = await mkdtemp(`${folder}-`)
  try {
    const archives = join(work, 'archives')
    await mkdir(join(archives, 'partial'), { recursive: true })
    const options = ['-o', `Dir::Cache::archives=${archives}`, '--no-install-recommends']
    const install = ['install', '--download-only', ...names]
    await run('apt-get', [...(await findIndex()), ...options, ...install], { timeout: 600_000 })
    const root = join(work, 'root')
    const packages = (await readdir(archives)).filter((one) => one.endsWith('.deb'))
    const isNeeded = (file: string) =>
      program === undefined || LIBRARY.test(file) || names.includes(file.split('_')[0] ?? '')
    for (const one of packages.filter((file) => !LIBC.test(file) && isNeeded(file))) {
      await run('dpkg-deb', ['-x', join(archives, one), root])
    }
    if (program !== undefined) await keepOnly(program, root)
    await rename(root, folder)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Debian names library folders by the machine: aarch64-linux-gnu, x86_64-linux-gnu. */
export async function librariesIn(folder: string): Promise<string[]> {
  const inside = join(folder, 'usr', 'lib')
  if (!existsSync(inside)) return []
  const triplets = (await readdir(inside)).filter((name) => name.endsWith('-linux-gnu'))
  const folders = triplets.flatMap((name) => [join(inside, name), join(folder, 'lib', name)])
  // systemd and PulseAudio keep libraries of their own one level deeper.
  return folders.flatMap((one) => [one, join(one, 'systemd'), join(one, 'pulseaudio')])
}

export type Program = { path: string; env: Record<string, string> }

const PROGRAMS = {
  etcd: { package: 'etcd-server', path: 'usr/bin/etcd', version: '--version' },
  haproxy: { package: 'haproxy', path: 'usr/sbin/haproxy', version: '-v' },
  openssl: { package: 'openssl', path: 'usr/bin/openssl', version: 'version' },
  nginx: { package: 'nginx', path: 'usr/sbin/nginx', version: '-v' },
  pgbouncer: { package: 'pgbouncer', path: 'usr/sbin/pgbouncer', version: '--version' },
  promtool: { package: 'prometheus', path: 'usr/bin/promtool', version: '--version' },
  'systemd-analyze': { package: 'systemd', path: 'usr/bin/systemd-analyze', version: '--version' },
} as const

/** What to do about it, in one line. */
export const cannotFetch =
  (name: string) =>
  (error: Error & { stderr?: string }): never => {
    const why = error.stderr?.trim().split('\n').at(-1) || error.message.split('\n')[0]
    throw new Error(`Install ${name}: its Debian package cannot be fetched here (${why})`)
  }

const isWorking = ({ path, env }: Program, version: string): Promise<boolean> =>
  run(path, [version], { env, timeout: 30_000 }).then(
    () => true,
    () => false,
  )

const PATH = `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`

/** etcd refuses to start on anything but x86-64, unless it is told the machine's own kind. */
const ETCD_ENV = process.arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {}

async function find(name: keyof typeof PROGRAMS): Promise<Program> {
  const program = PROGRAMS[name]
  const installed = { path: name, env: { PATH, ...ETCD_ENV } }
  if (await isWorking(installed, program.version)) return installed
  const folder = join(CACHE, `debian-${program.package}`)
  if (!existsSync(folder)) {
    await fetchPackage(program.package, folder, program.path).catch(cannotFetch(name))
  }
  const env = { PATH, ...ETCD_ENV, LD_LIBRARY_PATH: (await librariesIn(folder)).join(delimiter) }
  const fetched = { path: join(folder, program.path), env }
  if (await isWorking(fetched, program.version)) return fetched
  throw new Error(`${name} is not installed, and what was fetched into ${folder} does not start.`)
}

const finding = new Map<string, Promise<Program>>()

/** Fails with one line where it is neither installed nor can be fetched. */
export function findProgram(name: keyof typeof PROGRAMS): Promise<Program> {
  const found = finding.get(name) ?? find(name)
  finding.set(name, found)
  return found
}

/** A Python program needs its interpreter, modules and libraries, all from the same packages. */
export async function findPatroni(): Promise<Program & { args: string[] }> {
  const folder = join(CACHE, 'debian-patroni')
  if (!existsSync(folder)) {
    const names = ['patroni', 'python3-etcd', 'python3-psycopg2']
    await fetchPackage(names, folder).catch(cannotFetch('patroni'))
    for (const path of ['usr/share', 'var', 'etc']) {
      await rm(join(folder, path), { recursive: true, force: true })
    }
  }
  const path = join(folder, 'usr', 'bin', 'python3')
  const script = join(folder, 'usr', 'bin', 'patroni')
  const env = {
    PATH,
    PYTHONHOME: join(folder, 'usr'),
    PYTHONPATH: join(folder, 'usr', 'lib', 'python3', 'dist-packages'),
    PYTHONDONTWRITEBYTECODE: '1',
    LD_LIBRARY_PATH: (await librariesIn(folder)).join(delimiter),
  }
  await run(path, [script, '--version'], { env, timeout: 30_000 }).catch(() => {
    throw new Error(`patroni was fetched into ${folder}, but does not start.`)
  })
  return { path, args: [script], env }
}
