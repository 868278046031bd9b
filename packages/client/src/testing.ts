/** Stand-ins for time and network in the tests of this package. Not published. */
import type { Timers } from './timers.ts'

export type FakeTimers = Timers & {
  /** How long each timer that ran out had waited. */
  readonly elapsed: number[]
  /** Runs everything that is due within the time. */
  advance(milliseconds: number): Promise<void>
  /** Lets time pass from timer to timer until the promise settles. */
  until<Value>(promise: Promise<Value>): Promise<Value>
}

type Timer = { at: number; waits: number; callback: () => void }

/** Lets promises and streams that are ready go on. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0))
}

export function fakeTimers(start = Date.UTC(2030, 0, 1)): FakeTimers {
  let now = start
  const timers = new Set<Timer>()
  const elapsed: number[] = []
  const next = () => [...timers].sort((one, other) => one.at - other.at)[0]
  const run = (timer: Timer) => {
    timers.delete(timer)
    now = Math.max(now, timer.at)
    elapsed.push(timer.waits)
    timer.callback()
  }
  return {
    elapsed,
    now: () => now,
    setTimeout(callback, waits) {
      const timer = { at: now + waits, waits, callback }
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => void timers.delete(timer as Timer),
    async advance(milliseconds) {
      const end = now + milliseconds
      await settle()
      for (let timer = next(); timer && timer.at <= end; timer = next()) {
        run(timer)
        await settle()
      }
      now = end
    },
    async until(promise) {
      let isSettled = false
      const done = () => {
        isSettled = true
      }
      promise.then(done, done)
      for (await settle(); !isSettled; await settle()) {
        const timer = next()
        if (timer) run(timer)
      }
      return promise
    },
  }
}

export type Answer = Response | Error | ((request: Request) => Response | Promise<Response>)

export type FakeService = {
  fetch(request: Request): Promise<Response>
  /** As received, with their bodies. */
  requests: { method: string; url: URL; headers: Headers; body: string }[]
}

/** Gives the answers in order; an error is a connection that fails. */
export function fakeService(...answers: Answer[]): FakeService {
  const requests: FakeService['requests'] = []
  return {
    requests,
    async fetch(request) {
      const { method, url, headers } = request
      const body = await request.clone().text()
      requests.push({ method, url: new URL(url), headers: new Headers(headers), body })
      const answer = answers.shift()
      if (answer === undefined) throw new Error(`No answer is left for ${method} ${url}`)
      if (answer instanceof Error) throw answer
      return typeof answer === 'function' ? answer(request) : answer
    },
  }
}

export const json = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })

export const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  json({ error: { code, message: 'A sentence.', requestId: 'request-1' } }, { status, headers })

/** Never answers, but notices when the request is aborted. */
export const silence = (request: Request): Promise<Response> =>
  new Promise((_resolve, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true })
  })

/** An answer whose connection breaks in the middle of its body. */
export const brokenOff = (): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id": "half'))
        controller.error(new TypeError('terminated'))
      },
    }),
    { status: 201 },
  )
