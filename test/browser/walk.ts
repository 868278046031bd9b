/** A walk through the screens of an organization without loading the page again. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** As a link of the application would: the router listens to the history. */
export async function open(page: Page, path: string): Promise<void> {
  await page.evaluate<void>(`
    for (const heading of document.querySelectorAll('h1')) heading.dataset.left = ''
    history.pushState({}, '', ${JSON.stringify(path)})`)
  await expect.poll(() => page.evaluate<string>(WHAT_IS_MISSING), { message: path }).toBe('')
}

const WHAT_IS_MISSING = `
  document.querySelector('h1[data-left]') ? 'the last screen is still there'
  : !document.querySelector('h1') ? 'no heading'
  : document.querySelector('.animate-pulse') ? 'something is loading' : ''`

/** The longest list of the screen, in rows that are in the document. */
export const longestList = (page: Page): Promise<number> =>
  page.evaluate<number>(`Math.max(0, ...[...document.querySelectorAll('main :is(ul, ol, tbody)')]
    .map((list) => list.childElementCount))`)

export const pageWidth = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')

/**
 * What nobody translates: names, amounts, and what the service says in English. What is made for
 * machines, such as an address, is in a font of its own.
 */
const DATA = 'bdi, kbd, time, .font-mono, body [translate=no], body [lang=en]'

/** Texts that are in no catalog: in the pseudo-language, those of a catalog have accents. */
export const hardCodedTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const DATA = '${DATA}, script, noscript'
    const NAMES = ['aria-label', 'title', 'placeholder', 'alt']
    // The browser has words of its own for lengths of time.
    const isLength = (text) => /^\\d+ (?:day|hour|minute|second)s?$/.test(text)
    const isPlain = (text) =>
      !isLength(text) && /[A-Za-z]{2}/.test(text) && !/[\\u00c0-\\u024f\\u1e00-\\u1eff]/.test(text)
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode
      if (isPlain(data) && !parentElement.closest(DATA)) found.push(data)
    }
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest(DATA)) continue
      for (const name of NAMES) {
        const value = element.getAttribute(name)
        if (value && isPlain(value)) found.push(name + ': ' + value)
      }
    }
    return [...new Set(found)]
  })()`)

type Found = { id: string; paymentId?: string } | undefined

/** Every screen of an organization with something on each of them. */
export async function screensOf(page: Page): Promise<Record<string, string>> {
  const read = <Answer>(path: string) =>
    page.evaluate<Answer>(
      `fetch(${JSON.stringify(`/v1/consumer/${path}`)}, { headers: { 'x-countersign': '1' } })
        .then((answer) => answer.json())`,
    )
  const first = async (path: string, list: string): Promise<Found> =>
    (await read<Record<string, Found[]>>(path))[list]?.[0]
  const { memberships } = await read<{ memberships: { organizationId: string }[] }>('me')
  const id = memberships[0]?.organizationId ?? ''
  const expense = (state: string) =>
    first(`organizations/${id}/expenses?limit=1&state=${state}`, 'expenses')
  const [waiting, paid, blocked, review, draft] = await Promise.all(
    ['awaiting_approval', 'paid', 'blocked', 'needs_review', 'draft'].map(expense),
  )
  const vault = await first(`organizations/${id}/vaults`, 'vaults')
  const supportCase = await first(`organizations/${id}/support-cases`, 'cases')
  const wallet = await first('wallets', 'wallets')
  const at = `/organizations/${id}`
  return {
    inbox: at,
    'an expense to sign': `${at}/expenses/${waiting?.id}`,
    payments: `${at}/activity`,
    'a paid expense': `${at}/expenses/${paid?.id}`,
    payment: `${at}/payments/${paid?.paymentId}`,
    'a blocked expense': `${at}/expenses/${blocked?.id}`,
    'new expense': `${at}/expenses/new`,
    'an expense to review': `${at}/expenses/${review?.id}`,
    revise: `${at}/expenses/${review?.id}/revise`,
    'a draft': `${at}/expenses/${draft?.id}`,
    sign: `${at}/expenses/${waiting?.id}/sign`,
    expenses: `${at}/expenses`,
    spending: `${at}/spending`,
    treasury: `${at}/treasury`,
    'new vault': `${at}/treasury/new`,
    executor: `${at}/treasury/executor`,
    vault: `${at}/treasury/${vault?.id}`,
    policy: `${at}/treasury/${vault?.id}/policy`,
    'recipients of a vault': `${at}/treasury/${vault?.id}/recipients`,
    funding: `${at}/treasury/${vault?.id}/funding`,
    recipients: `${at}/recipients`,
    import: `${at}/recipients/import`,
    people: `${at}/people`,
    webhooks: `${at}/webhooks`,
    'audit trail': `${at}/audit`,
    support: `${at}/support`,
    'support case': `${at}/support-cases/${supportCase?.id}`,
    organization: `${at}/settings`,
    start: '/',
    wallets: '/wallets',
    'export a key': `/wallets/${wallet?.id}/export`,
    settings: '/settings',
    notifications: '/notifications',
  }
}
