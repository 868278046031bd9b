/** One service and one organization for the journeys through the treasury. */
import type { Locator, Page } from 'playwright-core'
import { until } from '#dev/demo-client.ts'
import { type Application, openApplication, tellPage } from '#test/browser/application.ts'
import { type Furnished, furnish, giveRole } from '#test/browser/furnished.ts'
import { button, enter, type Person } from '#test/browser/hostile-stage.ts'

type Treasury = { application: Application; house: Furnished; owner: Person; approver: Person }

let opened: Treasury | undefined

export const treasury = (): Treasury => {
  if (!opened) throw new Error('The treasury is not open.')
  return opened
}

/** The service may pay next to nothing for gas: what it would send waits for people. */
export async function openTreasury(): Promise<void> {
  const application = await openApplication({ env: { MAX_FEE_PER_GAS_GWEI: '0.000000001' } })
  try {
    const house = await furnish(application.service, 'Heron')
    // A second person, so that two can sign.
    await giveRole(house, house.employee, 'approver')
    const owner = await enter(application, house, house.owner)
    const approver = await enter(application, house, house.approver)
    opened = { application, house, owner, approver }
  } catch (error) {
    await application.close()
    throw error
  }
}

export const closeTreasury = (): Promise<void> | undefined => opened?.application.close()

export const open = (person: Person, path: string): Promise<Page> =>
  person.screen(treasury().house.screens + path)

export const vaultOf = (vaultId: string) => {
  const { owner, path } = treasury().house
  return owner.client.call('getVault', { path: { ...path, vaultId } })
}

type VaultDetail = Extract<Awaited<ReturnType<typeof vaultOf>>, { ok: true }>['data']

export const untilVault = (vaultId: string, is: (vault: VaultDetail) => boolean, what: string) =>
  until(() => vaultOf(vaultId), is, what)

export const dialog = (page: Page): Locator => page.getByRole('dialog')

/** In the dialog that asks once more, then until the chain has it. */
export async function confirm(page: Page, label: string, done: string): Promise<void> {
  await dialog(page).getByRole('button', { name: label }).click().catch(tellPage(page))
  await dialog(page).getByText(done).waitFor().catch(tellPage(page))
  // The cross in the corner has the same name.
  await dialog(page).getByRole('button', { name: 'Close' }).last().click()
}

export const signPrepared = async (page: Page): Promise<void> => {
  await button(page, 'Prepare for signing').click().catch(tellPage(page))
  await button(page, 'Sign and send in the wallet').click().catch(tellPage(page))
}
