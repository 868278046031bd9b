/** What every screen must keep: readable in both schemes, at every width, by everybody. */
import type { Page } from 'playwright-core'
import {
  accessibilityProblems,
  contrastProblems,
  DESK,
  PHONE,
  TABLET,
} from '#test/browser/application.ts'
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

/** One screen at three widths in both schemes, without loading it again. */
export async function screenProblems(page: Page, path: string): Promise<string[]> {
  await look(page, { viewport: DESK, colorScheme: 'dark' })
  await open(page, path)
  const problems = [...(await accessibilityProblems(page)), ...(await overflow(page, DESK))]
  const rows = await longestList(page)
  if (rows > ROWS_MAX) problems.push(`has ${rows} rows in the document`)
  await look(page, { viewport: DESK, colorScheme: 'light' })
  problems.push(...(await contrastProblems(page)))
  await look(page, { viewport: TABLET, colorScheme: 'light' })
  problems.push(...(await overflow(page, TABLET)))
  await look(page, { viewport: PHONE, colorScheme: 'light' })
  problems.push(...(await accessibilityProblems(page)), ...(await overflow(page, PHONE)))
  await look(page, { viewport: PHONE, colorScheme: 'dark' })
  problems.push(...(await contrastProblems(page)))
  return problems
}
