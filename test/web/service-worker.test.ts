/** What the service worker does with a push message and with a click on a notification. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'

const SOURCE = readFileSync(join(import.meta.dirname, '../../apps/consumer/public/sw.js'), 'utf8')
const EVENT_ID = '0197f0a0-0000-7000-8000-000000000001'

type Message = { kind: string; eventId: string | null }

/** A window of the browser. A page of the application accepts what it is handed. */
function createWindow({ isApplication }: { isApplication: boolean }) {
  const heard: Message[] = []
  let focuses = 0
  return {
    focused: true,
    heard,
    focuses: () => focuses,
    async focus() {
      focuses += 1
    },
    postMessage(message: Message, ports: InstanceType<typeof MessagePort>[] = []) {
      if (!isApplication) return
      heard.push({ kind: message.kind, eventId: message.eventId })
      ports[0]?.postMessage(null)
    },
  }
}

type Listener = (event: object) => void

function startWorker(windows: ReturnType<typeof createWindow>[]) {
  const listeners = new Map<string, Listener>()
  const shown: string[] = []
  const opened: string[] = []
  const self = {
    location: { href: 'https://app.example/sw.js?language=de' },
    clients: {
      matchAll: async () => windows,
      openWindow: async (path: string) => void opened.push(path),
    },
    registration: {
      showNotification: async (_title: string, { body }: { body: string }) => void shown.push(body),
    },
    addEventListener: (type: string, listener: Listener) => void listeners.set(type, listener),
  }
  runInContext(SOURCE, createContext({ self, URL, MessageChannel, setTimeout, clearTimeout }))
  const dispatch = async (type: string, parts: object) => {
    let work: unknown
    listeners.get(type)?.({ ...parts, waitUntil: (promise: unknown) => (work = promise) })
    await work
  }
  return {
    shown,
    opened,
    push: (message: object) => dispatch('push', { data: { json: () => message } }),
    click: (eventId: string | null) =>
      dispatch('notificationclick', { notification: { close() {}, data: { eventId } } }),
  }
}

const PUSHED = { eventId: EVENT_ID, category: 'approval_needed' }
const SHOWN = ['Eine Ausgabe wartet auf Ihre Unterschrift.']

test('a page of the application shows a push message itself', async () => {
  const page = createWindow({ isApplication: true })
  const worker = startWorker([page])
  await worker.push(PUSHED)
  expect(page.heard).toEqual([{ kind: 'push', eventId: EVENT_ID }])
  expect(worker.shown).toEqual([])
})

test('the system shows it in front of a page that does not accept it', async () => {
  const worker = startWorker([createWindow({ isApplication: false })])
  await worker.push(PUSHED)
  expect(worker.shown).toEqual(SHOWN)
})

test('the system shows it when no page is in front', async () => {
  const behind = { ...createWindow({ isApplication: true }), focused: false }
  const worker = startWorker([behind])
  await worker.push(PUSHED)
  expect(behind.heard).toEqual([])
  expect(worker.shown).toEqual(SHOWN)
})

test('a click leads a page of the application to the event', async () => {
  const page = createWindow({ isApplication: true })
  const worker = startWorker([page])
  await worker.click(EVENT_ID)
  expect(page.heard).toEqual([{ kind: 'open', eventId: EVENT_ID }])
  expect(page.focuses()).toBe(1)
  expect(worker.opened).toEqual([])
})

test.each([
  ['beside a page that does not accept it', [createWindow({ isApplication: false })]],
  ['when no page is open', []],
])('a click opens a window %s', async (_where, windows) => {
  const worker = startWorker(windows)
  await worker.click(EVENT_ID)
  await worker.click(null)
  expect(worker.opened).toEqual([`/n/${EVENT_ID}`, '/'])
  expect(windows.map(({ focuses }) => focuses())).toEqual(windows.map(() => 0))
})
