/** What every screen must keep: readable in both schemes, at every width, by everybody. */
import type { Page } from 'playwright-core'
import { accessibilityProblems, DESK, PHONE, TABLET } from '#test/browser/application.ts'
import { longestList, open, pageWidth } from '#test/browser/walk.ts'

/** Longer lists keep only the rows that are near the window in the document. */
const ROWS_MAX = 60

type Look = { viewport: typeof PHONE; colorScheme: 'light' | 'dark' }

const look = async (page: Page, { viewport, colorScheme }: Look): Promise<void> => {
  await page.setViewportSize(viewport)
  // Without motion no colour is on its way to another while it is measured.
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
}

const overflow = async (page: Page, { width }: typeof PHONE): Promise<string[]> => {
  const wide = await pageWidth(page)
  return wide > width ? [`is ${wide} pixels wide at ${width}`] : []
}

const SCHEMES = ['dark', 'light'] as const
const ODD_SCHEMES = ['light', 'dark'] as const

/**
 * One screen at three widths, without loading it again. Measuring contrast takes longest, so each
 * scheme is looked at in one width: the desk of every other screen is light.
 */
export async function screenProblems(page: Page, path: string, nth = 0): Promise<string[]> {
  const [first, second] = nth % 2 === 0 ? SCHEMES : ODD_SCHEMES
  await look(page, { viewport: DESK, colorScheme: first })
  await open(page, path)
  const problems = [...(await accessibilityProblems(page)), ...(await overflow(page, DESK))]
  const rows = await longestList(page)
  if (rows > ROWS_MAX) problems.push(`has ${rows} rows in the document`)
  await look(page, { viewport: TABLET, colorScheme: second })
  problems.push(...(await overflow(page, TABLET)))
  await look(page, { viewport: PHONE, colorScheme: second })
  problems.push(...(await accessibilityProblems(page)), ...(await overflow(page, PHONE)))
  return problems
}
