/** HAProxy and nginx as deploy/ configures them, on loopback and at ports of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pickPort } from '#dev/free-ports.ts'
import { findProgram, type Program, run } from '#test/support/debian.ts'
import { read } from './deployed.ts'

export type Ports = {
  https: number
  http: number
  /** Where gateways reach the API. */
  internal: number
  consumer: number
  admin: number
  api: readonly [number, number]
}

export type RunningProxy = { log(): Promise<string>; stop(): Promise<void> }

export const pickPorts = async () => ({
  https: await pickPort('127.0.0.1'),
  http: await pickPort('127.0.0.1'),
  internal: await pickPort('127.0.0.1'),
})

/** One self-signed certificate for all names. Undefined without openssl. */
async function makeCertificate(folder: string): Promise<{ pem: string; key: string }> {
  const openssl = await findProgram('openssl')
  const [pem, key] = [join(folder, 'names.crt'), join(folder, 'names.key')]
  const names = ['app', 'admin', 'api'].map((name) => `DNS:${name}.example`).join(',')
  const args = [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '2', '-subj', '/CN=app.example', '-addext', `subjectAltName=${names}`],
    ...['-out', pem, '-keyout', key],
  ]
  await run(openssl.path, args, { env: openssl.env })
  return { pem, key }
}

type Start = { program: Program; ports: Ports; folder: string; pem: string; key: string }

async function launch(
  { program, ports, folder }: Start,
  { args, env = {} }: { args: string[]; env?: Record<string, string> },
): Promise<RunningProxy> {
  const child = spawn(program.path, args, {
    env: { ...program.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const ended = once(child, 'exit')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  while (!(await isListening(ports.https))) {
    if (hasEnded()) throw new Error(`${program.path} has ended: ${output}`)
    await wait(20)
  }
  return {
    async log() {
      const files = ['access.log', 'error.log'].map((name) =>
        readFile(join(folder, name), 'utf8').catch(() => ''),
      )
      return [output, ...(await Promise.all(files))].join('')
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (isOpen: boolean) => () => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', answer(true)).once('error', answer(false))
  })
}

/** The addresses of deploy/systemd, replaced by those of the test. */
const moved = (text: string, { consumer, admin, internal, api }: Ports): string =>
  text
    .replaceAll('127.0.0.1:4100', `127.0.0.1:${consumer}`)
    .replaceAll('127.0.0.1:4200', `127.0.0.1:${admin}`)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${api[0]}`)
    .replaceAll('127.0.0.1:4001', `127.0.0.1:${api[1]}`)
    .replaceAll('127.0.0.1:4080', `127.0.0.1:${internal}`)

async function startHaproxy(start: Start): Promise<RunningProxy> {
  const { ports, folder, pem, key } = start
  const certificates = join(folder, 'certificates')
  await mkdir(certificates)
  const both = `${await readFile(pem, 'utf8')}${await readFile(key, 'utf8')}`
  await writeFile(join(certificates, 'names.pem'), both)
  const file = join(folder, 'haproxy.cfg')
  const text = read('deploy/haproxy/haproxy.cfg').replaceAll('bind ":', 'bind "127.0.0.1:')
  await writeFile(file, moved(text, ports))
  return launch(start, {
    args: ['-db', '-f', file],
    env: {
      CONSUMER_HOST: 'app.example',
      ADMIN_HOST: 'admin.example',
      API_HOST: 'api.example',
      HTTPS_PORT: String(ports.https),
      HTTP_PORT: String(ports.http),
      CERTIFICATES: certificates,
    },
  })
}

async function startNginx(start: Start): Promise<RunningProxy> {
  const { ports, folder, pem, key } = start
  const text = read('deploy/nginx/countersign.conf')
    .replaceAll('listen 443 ', `listen 127.0.0.1:${ports.https} `)
    .replaceAll('listen 80 ', `listen 127.0.0.1:${ports.http} `)
    .replaceAll(/\/etc\/nginx\/certificates\/\w+\.example\.pem/g, pem)
    .replaceAll(/\/etc\/nginx\/certificates\/\w+\.example\.key/g, key)
    .replaceAll('/var/log/nginx/countersign.log', join(folder, 'access.log'))
    .replaceAll('/var/log/nginx/countersign-error.log', join(folder, 'error.log'))
  await writeFile(join(folder, 'countersign.conf'), moved(text, ports))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  const file = join(folder, 'nginx.conf')
  // As Debian's nginx.conf does, with an error_log in `http`.
  await writeFile(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
    events {} http { error_log ${join(folder, 'error.log')}; ${temporary.join(' ')}
    include ${join(folder, 'countersign.conf')}; }`,
  )
  return launch(start, { args: ['-e', 'stderr', '-p', folder, '-c', file] })
}

export async function startProxy(kind: 'haproxy' | 'nginx', ports: Ports): Promise<RunningProxy> {
  const program = await findProgram(kind)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-proxy-'))
  const certificate = await makeCertificate(folder)
  const start = { program, ports, folder, ...certificate }
  return kind === 'haproxy' ? startHaproxy(start) : startNginx(start)
}

export type Asked = {
  host: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** As a client that finds the names at the proxy. Resolves with the headers. */
export async function ask(
  { https, http }: Pick<Ports, 'https' | 'http'>,
  {
    host,
    path,
    method = 'GET',
    headers = {},
    body,
    isPlain = false,
  }: Asked & { isPlain?: boolean },
): Promise<IncomingMessage> {
  const options = { host: '127.0.0.1', path, method, agent: false, headers: { host, ...headers } }
  const asked = isPlain
    ? plainRequest({ ...options, port: http })
    : request({ ...options, port: https, servername: host, rejectUnauthorized: false })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  // A client that leaves, or a server that closes early, is no failure of the test.
  asked.on('error', () => {})
  answer.on('error', () => {})
  return answer
}

export async function textOf(answer: IncomingMessage): Promise<string> {
  return Buffer.concat(await answer.toArray()).toString()
}
