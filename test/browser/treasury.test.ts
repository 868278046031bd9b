/** The treasury in a real browser: what owners and approvers set, sign and stop. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeWallet, must } from '#dev/demo-client.ts'
import { tellPage } from '#test/browser/application.ts'
import type { Furnished } from '#test/browser/furnished.ts'
import { button, type Person, see } from '#test/browser/hostile-stage.ts'
import { executorJourney, ownerTasks } from '#test/browser/treasury-owner.ts'
import {
  closeTreasury,
  confirm,
  dialog,
  open,
  openTreasury,
  signPrepared,
  treasury,
  untilVault,
  vaultOf,
} from '#test/browser/treasury-stage.ts'

vi.setConfig({ testTimeout: 300_000 })

let house: Furnished
let owner: Person
let approver: Person

beforeAll(async () => {
  await openTreasury()
  ;({ house, owner, approver } = treasury())
}, 300_000)
afterAll(closeTreasury)

executorJourney()

describe('a policy', () => {
  test('limits periods and asks two people for large payments', async () => {
    const page = await open(owner, `/treasury/${house.vault.id}/policy`)
    // The policy that names the new executor is still shown.
    await button(page, 'Change it again').click().catch(tellPage(page))
    await see(page, 'as fast as blocks follow each other')

    await page.getByLabel('Spending period').selectOption({ label: '1 day' })
    await page.getByLabel('In one period, up to', { exact: true }).fill('1500')
    await page.getByLabel('Automatic in one period, up to').fill('2000')
    await see(page, 'It must not be above the cap of the whole period.')
    await page.getByLabel('Automatic in one period, up to').fill('100')
    await button(page, 'Ask for more signatures').click()
    const line = page.getByRole('group', { name: 'Line 1' })
    await line.getByLabel('Above').fill('20')
    await see(page, 'It must be at least the cap of automatic payments, which nobody signs.')
    await line.getByLabel('Above').fill('400')

    const changes = page.getByLabel('What the new policy changes')
    for (const text of ['1 day', '2 different approvers', 'allows less']) {
      await changes.getByText(text).first().waitFor().catch(tellPage(page))
    }
    await see(page, /and up to twice that around the change of two periods/)
    await see(page, /The executor's key and those of 2 approvers/)

    await signPrepared(page)
    await see(page, 'Version 3 is in force')
    const policy = must(await vaultOf(house.vault.id)).policy
    expect(policy).toMatchObject({
      version: 3,
      periodSeconds: 86_400,
      periodCap: '1500000000',
      automaticPeriodCap: '100000000',
      tiers: [{ above: '400000000', approvals: 2 }],
    })
    await page.getByRole('link', { name: 'Open the vault' }).click()
    await see(page, 'Left in this period')
    await see(page, '1,500.00')
  })

  test('asks for no more people than there are', async () => {
    const page = await open(owner, `/treasury/${house.vault.id}/policy`)
    // The success of a moment ago is still shown.
    await button(page, 'Change it again').click().catch(tellPage(page))
    await page.getByRole('group', { name: 'Line 1' }).waitFor()
    const more = button(page, 'Ask for more signatures')
    expect(await more.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('recipients', () => {
  test('are added without a new policy', async () => {
    const { address } = makeWallet(house.about)
    const body = { label: 'Copperfield Tools', address, chainId: house.about.chainId }
    must(await house.owner.client.call('addRecipient', { path: house.path, body }))

    const page = await open(owner, `/treasury/${house.vault.id}`)
    await see(page, "These recipients are not in the vault's list yet, so they cannot be paid")
    await page.getByRole('link', { name: 'Add to the list' }).click()
    await see(page, /approvals that wait stay valid/)
    await signPrepared(page)
    await see(page, 'The list of recipients is changed')
    const vault = must(await vaultOf(house.vault.id))
    expect(vault.policy).toMatchObject({ version: 3 })
    expect(vault.policy?.recipientAddresses).toContain(address)
  })

  test('are blocked by an approver, and only the owner lifts it', async () => {
    const page = await open(approver, '/recipients')
    await page.getByRole('button', { name: /Millgate Print/ }).click()
    await button(page, 'Block').click()
    await confirm(page, 'Block in the wallet', 'The recipient is blocked')
    await see(page, 'Main has blocked this address and pays it nothing.')
    await button(page, 'Unblock').click()
    await dialog(page).getByText('Another account is connected').waitFor().catch(tellPage(page))
    expect(await button(page, 'Unblock in the wallet').count()).toBe(0)

    const own = await open(owner, `/treasury/${house.vault.id}`)
    await button(own, 'Unblock').click()
    await confirm(own, 'Unblock in the wallet', 'The recipient is no longer blocked')
    await untilVault(
      house.vault.id,
      ({ blockedRecipientAddresses }) => blockedRecipientAddresses.length === 0,
      'the end of the block',
    )
  })
})

test('an approver stops payments, and the owner lifts exactly that pause', async () => {
  const page = await open(approver, `/treasury/${house.vault.id}`)
  await button(page, 'Stop payments').click()
  await confirm(page, 'Stop payments in the wallet', 'Payments are stopped')

  const own = await open(owner, `/treasury/${house.vault.id}`)
  await button(own, 'Start payments again').click()
  await dialog(own).getByText('This lifts pause 1.').waitFor()
  await confirm(own, 'Start payments in the wallet', 'Payments can go out again')
  const { policy } = await untilVault(
    house.vault.id,
    (vault) => vault.policy?.paused === false,
    'the end of the pause',
  )
  expect(policy?.version).toBe(3)
})

describe('a vault whose changes wait', () => {
  let vaultId: string

  test('is deployed with the delay that the owner chose', async () => {
    const page = await open(owner, '/treasury/new')
    await page.getByRole('radio', { name: '1 hour' }).check()
    // The form for a vault that exists already has a name, too.
    await page.getByLabel('Name of the vault').first().fill('Savings')
    await button(page, 'Prepare the deployment').click()
    await see(page, 'Changes wait')
    await button(page, 'Deploy in the wallet').click().catch(tellPage(page))
    await see(page, 'The vault exists and was verified')
    await page.getByRole('link', { name: 'Set its policy' }).click()
    await signPrepared(page)
    // A vault's first policy never waits.
    await see(page, 'Version 1 is in force')
    const { vaults } = must(await house.owner.client.call('listVaults', { path: house.path }))
    const made = vaults.find(({ label }) => label === 'Savings')
    expect(made?.changeDelaySeconds).toBe(3_600)
    vaultId = made?.id ?? ''
  })

  test('shows a policy that waits, with a countdown, and an approver stops it', async () => {
    const page = await open(owner, `/treasury/${vaultId}/policy`)
    await button(page, 'Change it again').click().catch(tellPage(page))
    await page.getByLabel('Reserve', { exact: true }).fill('25')
    await button(page, 'Prepare for signing').click()
    await see(page, /^The policy comes into force after 1 hour$/)
    await button(page, 'Sign and send in the wallet').click().catch(tellPage(page))
    await see(page, 'The policy waits')

    const other = await open(approver, `/treasury/${vaultId}`)
    await see(other, 'A new policy waits')
    const left = await other.getByRole('timer').textContent()
    expect(left).toMatch(/^(?:1:00:00|0:5\d:\d\d)$/)
    const changes = other.getByLabel('What the new policy changes')
    await changes.getByRole('insertion').getByText('25.00').waitFor()
    await button(other, 'Stop it').click()
    await confirm(other, 'Stop it in the wallet', 'The policy is stopped')
    const vault = await untilVault(vaultId, ({ proposal }) => proposal === null, 'the veto')
    expect(vault.policy?.version).toBe(1)

    const again = await open(owner, `/treasury/${vaultId}`)
    await see(again, 'Not applied')
    await again.getByText('Not applied').first().click()
    await see(again, 'The owner or an approver stopped this policy while it waited.')
  })

  test('lets new recipients wait, and shows when they can be paid', async () => {
    const { address } = makeWallet(house.about)
    const body = { label: 'Lowland Dairy', address, chainId: house.about.chainId }
    must(await house.owner.client.call('addRecipient', { path: house.path, body }))
    const page = await open(owner, `/treasury/${vaultId}/recipients`)
    await see(page, /^New recipients can be paid after 1 hour$/)
    await signPrepared(page)
    await see(page, 'The list of recipients is changed')
    await page.getByRole('link', { name: 'Open the vault' }).click()
    await see(page, /can be paid in \d+ minutes/)
  })
})

ownerTasks()

test('an approver who lost the role is taken out at once', async () => {
  const { members } = must(await house.owner.client.call('listMembers', { path: house.path }))
  const role = members
    .find(({ accountId }) => accountId === house.employee.accountId)
    ?.walletRoles.find(({ active }) => active)
  const path = { ...house.path, walletRoleId: role?.id ?? '' }
  must(await house.owner.client.call('revokeWalletRole', { path }))
  const page = await open(owner, `/treasury/${house.vault.id}`)
  await see(page, 'These wallets are no longer approvers, but the vault still accepts them')
  await button(page, 'Take out at once').click()
  await confirm(page, 'Take out in the wallet', 'The vault no longer accepts this approver')
  const { policy } = await untilVault(
    house.vault.id,
    (vault) => vault.policy?.approverAddresses.length === 1,
    'the end of the approver',
  )
  expect(policy?.version).toBe(3)
})
