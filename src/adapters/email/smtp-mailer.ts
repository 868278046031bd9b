/**
 * `Mailer` over SMTP. One connection per message: the number of messages is small, and a connection
 * that was kept open may have been closed by the server in the meantime.
 */
import type { SmtpConfig } from '#platform/config/email.ts'
import type { EmailMessage, EmailOutcome, Mailer } from '#ports/mailer.ts'

/** Mail servers may delay their greeting or their answer to a recipient to slow down spammers. */
const TIMEOUT_MS = 20_000
const TOTAL_TIMEOUT_MS = 45_000

export type SmtpMailerOptions = {
  smtp: SmtpConfig
  from: { name: string; address: string }
  /** For each step: connecting, the greeting, and every answer. */
  timeoutMs?: number
  /** All steps together. */
  totalTimeoutMs?: number
  /** Additional certificate authorities. */
  ca?: string
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number }

export function createSmtpMailer({
  smtp,
  from,
  timeoutMs = TIMEOUT_MS,
  totalTimeoutMs = TOTAL_TIMEOUT_MS,
  ca,
}: SmtpMailerOptions): Mailer {
  const { host, port, isSecure, requiresStartTls, user, password } = smtp
  const options = {
    host,
    port,
    secure: isSecure,
    requireTLS: requiresStartTls,
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    tls: { minVersion: 'TLSv1.2' as const, ...(ca && { ca }) },
    logger: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return {
    async send(message) {
      if (!isAddress(message.to)) return { rejected: 'the address is not usable' }
      // Loaded on first use: processes that send no e-mail do not need it.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport(options)
      const { promise: late, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(() => reject(new TooSlow()), totalTimeoutMs)
      try {
        await Promise.race([transport.sendMail(mailOf(message, from)), late])
        return 'accepted'
      } catch (error) {
        return outcomeOf(error as SmtpError)
      } finally {
        clearTimeout(timer)
        transport.close()
      }
    },
  }
}

class TooSlow extends Error {
  override readonly name = 'TooSlow'
  readonly code = 'ETIMEDOUT'
}

/** One mailbox and nothing else: the value is part of an SMTP command and of a header. */
const isAddress = (address: string): boolean =>
  address.length <= 254 && /^[^\s"(),:;<>@[\\\]\p{C}]+@[^\s"(),:;<>@[\\\]\p{C}]+$/u.test(address)

const mailOf = (message: EmailMessage, from: SmtpMailerOptions['from']) => ({
  from,
  to: { name: '', address: message.to },
  subject: message.subject,
  text: message.text,
  html: message.html,
  messageId: `<${message.messageId}>`,
  headers: {
    // Asks for no automatic answer (RFC 3834).
    'Auto-Submitted': 'auto-generated',
    ...(message.unsubscribeUrl && {
      'List-Unsubscribe': {
        prepared: true,
        foldLines: false,
        value: `<${message.unsubscribeUrl}>`,
      },
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  },
})

/** "Authentication required" and the like, also in answer to MAIL FROM. */
const AUTHENTICATION_CODES = [530, 534, 535, 538]

/**
 * Only a refusal of this message is permanent. Refused credentials, TLS problems and refusals of
 * the connection are faults of the deployment: the message is retried until they are fixed.
 */
function outcomeOf({ code, command, responseCode = 0 }: SmtpError): EmailOutcome {
  const step = command ? ` to ${command}` : ''
  const reason = responseCode > 0 ? `answered ${responseCode}${step}` : `failed with ${code ?? '?'}`
  const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isTemporary =
    !isAboutMessage ||
    (responseCode > 0 && responseCode < 500) ||
    AUTHENTICATION_CODES.includes(responseCode)
  return isTemporary ? { retry: reason } : { rejected: reason }
}
