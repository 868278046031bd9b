// The service worker. It shows push messages and opens what they are about. It caches nothing:
// the page of a treasury is always the one that the server has now.
// A message has an event id and a category only, so that a lock screen reveals no amount and no name.
const TEXTS = {
  en: {
    review_needed: 'An expense needs your review.',
    approval_needed: 'An expense needs your signature.',
    revision_requested: 'Someone asked you to change an expense.',
    payment_confirmed: 'An expense of yours was paid.',
    payment_blocked: 'A payment is blocked or has failed.',
    payment_unrecorded: 'A vault made a payment that is not recorded here. Check it immediately.',
    policy_proposed: 'A new policy waits in a vault. Veto it if you did not expect it.',
    vault_changed: 'A vault was changed in a way that was not prepared here. Check it.',
    member_role_changed: 'The role of a member changed.',
    support_updated: 'Support answered you.',
    wallet_exported: 'The key of a wallet was exported. Check that this was intended.',
    wallet_export_locked: 'The export of a wallet was locked after failed attempts.',
    webhook_disabled: 'A webhook was disabled, because its receiver does not answer.',
    other: 'There is news in Countersign.',
  },
  de: {
    review_needed: 'Eine Ausgabe wartet auf Ihre Prüfung.',
    approval_needed: 'Eine Ausgabe wartet auf Ihre Unterschrift.',
    revision_requested: 'Jemand bittet Sie, eine Ausgabe zu ändern.',
    payment_confirmed: 'Eine Ihrer Ausgaben wurde bezahlt.',
    payment_blocked: 'Eine Zahlung ist blockiert oder fehlgeschlagen.',
    payment_unrecorded:
      'Ein Tresor hat eine Zahlung geleistet, die hier nicht erfasst ist. Sehen Sie sofort nach.',
    policy_proposed:
      'Ein neues Regelwerk wartet in einem Tresor. Stoppen Sie es, wenn Sie es nicht erwartet haben.',
    vault_changed:
      'Ein Tresor wurde auf eine Weise geändert, die nicht hier vorbereitet wurde. Prüfen Sie es.',
    member_role_changed: 'Die Rolle eines Mitglieds wurde geändert.',
    support_updated: 'Der Support hat Ihnen geantwortet.',
    wallet_exported: 'Der Schlüssel einer Wallet wurde exportiert. Prüfen Sie, ob das gewollt war.',
    wallet_export_locked: 'Der Export einer Wallet wurde nach Fehlversuchen gesperrt.',
    webhook_disabled: 'Ein Webhook wurde abgeschaltet, weil sein Empfänger nicht antwortet.',
    other: 'Es gibt Neues in Countersign.',
  },
}
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

// The page registers this script with the language that the person chose.
const language = new URL(self.location.href).searchParams.get('language') === 'de' ? 'de' : 'en'

const windows = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true })

function messageOf(data) {
  try {
    const { eventId, category } = data.json()
    return { eventId: ID.test(eventId) ? eventId : null, category: String(category) }
  } catch {
    return { eventId: null, category: 'other' }
  }
}

/**
 * Whether the page took the message over. The sign-in, the offline check and a page that still
 * loads do not listen. Browsers let a click open a window for a second or more, so this is less.
 */
const ACCEPTED_WITHIN_MS = 700

const isAccepted = (client, message) =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const end = (isTaken) => {
      clearTimeout(timer)
      port1.close()
      resolve(isTaken)
    }
    const timer = setTimeout(end, ACCEPTED_WITHIN_MS, false)
    port1.onmessage = () => end(true)
    client.postMessage(message, [port2])
  })

async function onMessage(data) {
  const message = messageOf(data)
  const inFront = (await windows()).find((client) => client.focused)
  if (inFront && (await isAccepted(inFront, { kind: 'push', ...message }))) return
  const texts = TEXTS[language]
  return self.registration.showNotification('Countersign', {
    body: Object.hasOwn(texts, message.category) ? texts[message.category] : texts.other,
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    lang: language,
    tag: message.eventId ?? message.category,
    data: message,
  })
}

async function onOpened({ eventId }) {
  const path = eventId ? `/n/${eventId}` : '/'
  const [open] = await windows()
  // A click allows either a focus or a window, so the page is asked first.
  if (open && (await isAccepted(open, { kind: 'open', eventId }))) return open.focus()
  return self.clients.openWindow(path)
}

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('push', (event) => event.waitUntil(onMessage(event.data)))
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(onOpened(event.notification.data ?? {}))
})
