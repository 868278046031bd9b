/** What every screen must keep: readable in both schemes, at every width, by everybody. */
import type { Page } from 'playwright-core'
import { accessibilityProblems, DESK, PHONE, TABLET } from '#test/browser/application.ts'
import { longestList, pageWidth } from '#test/browser/walk.ts'
import { isProof } from '#test/support/figures.ts'

/** Longer lists keep only the rows that are near the window in the document. */
const ROWS_MAX = 60

type Look = { viewport: typeof PHONE; colorScheme: 'light' | 'dark' }

/** Neighbouring screens differ in both, so each half of an application is seen in each of them. */
const LOOKS: readonly Look[] = [
  { viewport: DESK, colorScheme: 'dark' },
  { viewport: PHONE, colorScheme: 'light' },
  { viewport: DESK, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
]

/**
 * How the nth screen is looked at. Measuring contrast takes longest, so `npm test` does it once for
 * each screen, and `npm run prove` in every way.
 */
const looksAt = (nth: number): readonly Look[] =>
  isProof('PROVE_LOOKS') ? LOOKS : [LOOKS[nth % LOOKS.length] as Look]

async function take(page: Page, { viewport, colorScheme }: Look): Promise<void> {
  await page.setViewportSize(viewport)
  // Without motion no colour is on its way to another while it is measured.
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
}

const overflow = async (page: Page, { width }: typeof PHONE): Promise<string[]> => {
  const wide = await pageWidth(page)
  return wide > width ? [`is ${wide} pixels wide at ${width}`] : []
}

/** One screen at three widths, without opening it again. */
export async function screenProblems(
  page: Page,
  nth: number,
  openScreen: () => Promise<void>,
  { rowsMax = ROWS_MAX }: { rowsMax?: number } = {},
): Promise<string[]> {
  const problems: string[] = []
  for (const [index, look] of looksAt(nth).entries()) {
    await take(page, look)
    if (index === 0) await openScreen()
    problems.push(...(await accessibilityProblems(page)))
  }
  // From the width that it has: each change lays out and draws everything again.
  const isNarrow = page.viewportSize()?.width === PHONE.width
  for (const viewport of isNarrow ? [PHONE, TABLET, DESK] : [DESK, TABLET, PHONE]) {
    if (page.viewportSize()?.width !== viewport.width) await page.setViewportSize(viewport)
    if (viewport === DESK) {
      const rows = await longestList(page)
      if (rows > rowsMax) problems.push(`has ${rows} rows in the document`)
    }
    problems.push(...(await overflow(page, viewport)))
  }
  return problems
}
