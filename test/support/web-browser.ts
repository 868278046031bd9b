/** A browser as far as sign-in and cross-site rules are concerned: cookies and redirects. */
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape they assert
type WebAnswer = { status: number; headers: Headers; text: string; body: any }

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer }

export type WebBrowser = {
  /** Cookies by name. Ports do not separate them, as in real browsers. */
  jar: Map<string, string>
  /** Every `Set-Cookie` line and every body that the browser was sent. */
  seen: string[]
  send(url: string, sent?: Sent): Promise<WebAnswer>
  /** As a script of the page does. */
  call(method: string, path: string, body?: unknown, headers?: object): Promise<WebAnswer>
  /** Follows redirects by GET, like a navigation, until there are none or `until` matches. */
  follow(url: string, until?: RegExp): Promise<string>
  /** Through the sign-in page, as a person of that name. Returns where the browser ended. */
  signIn(name: string, query?: string): Promise<string>
  /** From a page that asks for a second factor. */
  confirm(path: string, answer?: 'yes' | 'no'): Promise<string>
}

const OWN = { 'x-countersign': '1', 'sec-fetch-site': 'same-origin' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === '' || /max-age=0/i.test(line)) jar.delete(name)
  else jar.set(name, value)
}

export function openBrowser(origin: string): WebBrowser {
  const jar = new Map<string, string>()
  const seen: string[] = []

  const send = async (url: string, { method = 'GET', headers = {}, body }: Sent = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(url, origin), {
      method,
      redirect: 'manual',
      headers: { ...(cookie && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    for (const line of response.headers.getSetCookie()) keep(jar, line)
    seen.push(...response.headers.getSetCookie(), text)
    const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }

  const follow = async (start: string, until = /$^/, first = {}): Promise<string> => {
    let url = new URL(start, origin).href
    for (let hops = 0; hops < 12; hops += 1) {
      if (until.test(url)) return url
      const own = hops === 0 ? first : {}
      const { headers } = await send(url, { headers: { accept: 'text/html', ...own } })
      const location = headers.get('location')
      if (location === null) return url
      url = new URL(location, url).href
    }
    throw new Error(`Too many redirects: ${url}`)
  }

  const submit = async (page: string, fields: Record<string, string>, until?: RegExp) => {
    const body = new URLSearchParams(fields).toString()
    const { status, headers, text } = await send(page, { method: 'POST', headers: FORM, body })
    expect(status, text).toBe(303)
    return follow(new URL(headers.get('location') ?? '', page).href, until)
  }

  return {
    jar,
    seen,
    send,
    follow,
    call: (method, path, body, headers = {}) =>
      send(path, {
        method,
        headers: {
          ...OWN,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    signIn: async (name, query = '') =>
      submit(await follow(`/session/sign-in${query}`), { name, email: '' }),
    confirm: async (path, answer = 'yes') =>
      submit(await follow(path, undefined, { 'sec-fetch-site': 'same-origin' }), {
        confirm: answer,
      }),
  }
}
