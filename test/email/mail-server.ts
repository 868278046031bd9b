/** A real SMTP server on loopback that keeps what it receives and answers as configured. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { type Mail, readMail } from '#test/email/read-mail.ts'

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '..', 'push', 'fixtures', name), 'utf8')

/** For 127.0.0.1, signed by itself. */
export const CERTIFICATE = fixture('test-only-push-service.cert.pem')

type Received = Mail & { from: string; to: string[]; raw: string; isSecure: boolean; user: string }

export type MailServer = {
  port: number
  received: Received[]
  /** Commands that clients sent, without the message itself. */
  attempts: { step: 'connect' | 'auth' | 'rcpt' | 'data'; isSecure: boolean }[]
  /** Answers to the next messages at that step; then they are accepted again. */
  refuse(step: 'rcpt' | 'data', ...codes: number[]): void
  /** Called when a message has arrived, before it is acknowledged. */
  beforeAnswer: (() => Promise<void>) | undefined
  close(): Promise<void>
}

const refusal = (code: number) =>
  Object.assign(new Error(`refused with ${code}`), { responseCode: code })

type Tls = 'none' | 'starttls' | 'immediate'

const settingsOf = (tls: Tls, hasPassword: boolean) => ({
  logger: false,
  secure: tls === 'immediate',
  key: fixture('test-only-push-service.key.pem'),
  cert: CERTIFICATE,
  authOptional: !hasPassword,
  allowInsecureAuth: true,
  disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(hasPassword ? [] : ['AUTH'])],
  closeTimeout: 100,
})

export async function startMailServer({
  port: wanted = 0,
  tls = 'none',
  password,
}: {
  port?: number
  tls?: Tls
  password?: string
} = {}): Promise<MailServer> {
  const received: Received[] = []
  const attempts: MailServer['attempts'] = []
  const refusals = { rcpt: [] as number[], data: [] as number[] }
  const server = new SMTPServer({
    ...settingsOf(tls, password !== undefined),
    onConnect(session, callback) {
      attempts.push({ step: 'connect', isSecure: session.secure })
      callback()
    },
    onAuth(auth, session, callback) {
      attempts.push({ step: 'auth', isSecure: session.secure })
      if (auth.password !== password) return callback(refusal(535))
      callback(null, { user: auth.username ?? '' })
    },
    onRcptTo(_address, session, callback) {
      attempts.push({ step: 'rcpt', isSecure: session.secure })
      const code = refusals.rcpt.shift()
      callback(code === undefined ? undefined : refusal(code))
    },
    onData(stream, session, callback) {
      attempts.push({ step: 'data', isSecure: session.secure })
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const code = refusals.data.shift()
        if (code !== undefined) return callback(refusal(code))
        const raw = Buffer.concat(chunks).toString('latin1')
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          ...readMail(raw),
          raw,
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: String(session.user ?? ''),
        })
        await made.beforeAnswer?.()
        callback()
      })
    },
  })
  server.on('error', () => {})
  const listening = server.listen(wanted, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const made: MailServer = {
    port,
    received,
    attempts,
    refuse: (step, ...codes) => void refusals[step].push(...codes),
    beforeAnswer: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return made
}
