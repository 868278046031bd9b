/** One story, three ways to use the pages: with a mouse, with a thumb, and with keys alone. */
import type { BrowserContextOptions, ElementHandle, Locator, Page } from 'playwright-core'
import { DESK, PHONE, tellPage } from '#test/browser/application.ts'

export type Hands = {
  name: string
  /** The device they hold. */
  device: BrowserContextOptions
  /** A link, a button, a choice, or a row that opens. */
  press(target: Locator): Promise<void>
  write(field: Locator, text: string): Promise<void>
  /** Writes a part of the name and takes what is found. */
  pick(page: Page, field: Locator, option: string): Promise<void>
  attach(page: Page, field: Locator, path: string): Promise<void>
  /** To a screen of the organization. */
  open(page: Page, screen: Screen): Promise<void>
}

/** With the key that follows `g`; wallets have none. */
const KEYS = { Inbox: 'i', Payments: 'a', Treasury: 't', Recipients: 'r', People: 'p' } as const
type Screen = keyof typeof KEYS | 'New expense' | 'Wallets'

const heading = (page: Page, screen: Screen): Locator =>
  page.getByRole('heading', { name: screen, level: 1 })

type Pointer = (target: Locator) => Promise<void>

const pointing = (press: Pointer): Pick<Hands, 'press' | 'write' | 'pick' | 'attach'> => ({
  press,
  async write(field, text) {
    await press(field)
    await field.fill(text)
  },
  async pick(page, field, option) {
    await press(field)
    await press(page.getByRole('option', { name: option }))
  },
  async attach(page, field, path) {
    const choosing = page.waitForEvent('filechooser')
    // The control that is seen is the label.
    await press(field.locator('..'))
    await (await choosing).setFiles(path)
  },
})

const click: Pointer = (target) => target.click().catch(tellPage(target.page()))

export const MOUSE: Hands = {
  name: 'with a mouse',
  device: { viewport: DESK },
  ...pointing(click),
  async open(page, screen) {
    await click(page.getByRole('link', { name: screen }).first())
    await heading(page, screen).waitFor()
  },
}

const tap: Pointer = (target) => target.tap().catch(tellPage(target.page()))
const IN_BAR: readonly Screen[] = ['Inbox', 'New expense', 'Treasury']

export const THUMB: Hands = {
  name: 'with a thumb at 390 pixels',
  device: { viewport: PHONE, hasTouch: true, isMobile: true, colorScheme: 'dark' },
  ...pointing(tap),
  async open(page, screen) {
    const bar = page.getByRole('navigation', { name: 'Main screens' })
    if (IN_BAR.includes(screen)) await tap(bar.getByRole('link', { name: screen }))
    else {
      await tap(bar.getByRole('button', { name: 'More' }))
      await tap(page.getByRole('menuitem', { name: screen }))
    }
    await heading(page, screen).waitFor()
  },
}

const KEYS_MAX = 120

/** The element is looked for again only when the page has put another in its place. */
function focusOf(target: Locator): () => Promise<boolean> {
  let found: ElementHandle | null = null
  return async () => {
    const state = await found?.evaluate((element) =>
      element.isConnected ? element.matches(':focus') : undefined,
    )
    if (state !== undefined) return state
    found = await target.elementHandle()
    return target.evaluate((element) => element.matches(':focus'))
  }
}

/** Presses the key as often as it takes. A control that is off can be reached, but not used yet. */
async function moveTo(target: Locator, key: 'Tab' | 'ArrowDown' = 'Tab'): Promise<void> {
  const page = target.page()
  await target.and(page.locator(':not([aria-disabled=true])')).waitFor().catch(tellPage(page))
  const isFocused = focusOf(target)
  for (let count = 0; count < KEYS_MAX; count += 1) {
    if (await isFocused()) return
    await page.keyboard.press(key)
  }
  throw new Error(`No way to ${target} with ${key}.`)
}

/** Tab leads into a group of choices, arrows lead through it. */
async function choose(target: Locator): Promise<void> {
  const page = target.page()
  const name = await target.getAttribute('name')
  const group = page.locator(`input[name="${name}"]`)
  const entrance = group.and(page.locator(':checked')).or(group.first()).last()
  await moveTo(entrance)
  await moveTo(target, 'ArrowDown')
  await page.keyboard.press('Space')
}

export const KEYS_ALONE: Hands = {
  name: 'with keys alone',
  device: { viewport: DESK, reducedMotion: 'reduce' },
  async press(target) {
    if (await target.and(target.page().getByRole('radio')).count()) return choose(target)
    await moveTo(target)
    await target.page().keyboard.press('Enter')
  },
  async write(field, text) {
    await moveTo(field)
    const { keyboard } = field.page()
    await keyboard.press('ControlOrMeta+a')
    await keyboard.insertText(text)
  },
  async pick(page, field, option) {
    await moveTo(field)
    await page.keyboard.type(option.slice(0, 4))
    await page.getByRole('option', { name: option }).waitFor()
    await page.keyboard.press('Enter')
  },
  async attach(page, field, path) {
    const choosing = page.waitForEvent('filechooser')
    await moveTo(field)
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(path)
  },
  async open(page, screen) {
    if (await heading(page, screen).isVisible()) return
    if (screen === 'Wallets') {
      const link = page.getByRole('link', { name: screen })
      await moveTo(link)
      await page.keyboard.press('Enter')
    } else if (screen === 'New expense') await page.keyboard.press('c')
    else {
      await page.keyboard.press('g')
      await page.keyboard.press(KEYS[screen])
    }
    // The focus arrives with the person, so that the next key is not spent on the navigation.
    await heading(page, screen).and(page.locator(':focus')).waitFor()
  },
}
