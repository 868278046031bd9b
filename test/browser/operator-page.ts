/** What tests do on a page of the administrator application. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestGateway } from '#test/support/gateway.ts'

type Origin = Pick<TestGateway, 'origin'>

/** Lets every timer of the page fire, and returns when what they asked for has left the browser. */
export async function settle(page: Page, { origin }: Origin): Promise<void> {
  await page.clock.fastForward(5_000)
  const session = page.waitForResponse(`${origin}/session`)
  await page.evaluate("void fetch('/session', { headers: { 'x-countersign': '1' } })")
  await session
}

export async function expectSignedOut(page: Page, { origin }: Origin): Promise<void> {
  await page.waitForURL(`${origin}/sign-in?problem=operator_required`)
  await page.getByText('its role was revoked').waitFor()
  const session = await page.evaluate<{ state: string }>(
    "fetch('/session', { headers: { 'x-countersign': '1' } }).then((answer) => answer.json())",
  )
  expect(session).toEqual({ state: 'signed_out' })
}
