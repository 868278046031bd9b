/** Hands e-mails to a mail server. Types only. */

export type EmailMessage = {
  to: string
  subject: string
  text: string
  html: string
  /** Without angle brackets. Equal for every attempt, so that mail systems can drop duplicates. */
  messageId: string
  /** The page that switches off this kind of e-mail (RFC 8058); null for required e-mails. */
  unsubscribeUrl: string | null
}

/**
 * `accepted`: the mail server has taken over. `rejected`: permanent, do not retry. Reasons
 * contain neither the address nor anything from the message.
 */
export type EmailOutcome = 'accepted' | { retry: string } | { rejected: string }

export type Mailer = {
  send(message: EmailMessage): Promise<EmailOutcome>
}
