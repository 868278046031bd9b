/** What an owner does by hand: another executor, a first policy, and what the service cannot do. */
import { readForApproval, signApproval } from '@countersign/client/sign-approval.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, createPublicClient, http } from 'viem'
import { describe, expect, test } from 'vitest'
import { makeWallet, must, until } from '#dev/demo-client.ts'
import { testUsdcAbi, testUsdcCreationCode } from '#dev/test-usdc-artifact.ts'
import { tellPage } from '#test/browser/application.ts'
import { deployVault, expenseToSign, openVault } from '#test/browser/furnished.ts'
import { button, see } from '#test/browser/hostile-stage.ts'
import {
  confirm,
  dialog,
  open,
  signPrepared,
  treasury,
  untilVault,
  vaultOf,
} from '#test/browser/treasury-stage.ts'

const executorOf = () => {
  const { owner, path } = treasury().house
  return owner.client.call('getExecutor', { path })
}

export const executorJourney = () =>
  test('an owner replaces the executor, and the old one is retired', async () => {
    const { house, owner, approver } = treasury()
    const { binding: old } = must(await executorOf())
    const page = await open(owner, '/treasury')
    await page.getByRole('link', { name: 'Open the executor' }).click()
    await button(page, 'Replace it').click().catch(tellPage(page))
    await dialog(page).getByText('Nothing changes on the chain yet').waitFor()
    await dialog(page).getByRole('button', { name: 'Create a new executor' }).click()
    await see(page, 'Waits for a policy')
    expect(must(await executorOf()).binding?.address).toBe(old?.address)

    const other = await open(approver, '/treasury/executor')
    await see(other, 'Names an older executor')
    const replace = button(other, 'Replace it')
    await expect.poll(() => replace.getAttribute('aria-describedby')).not.toBeNull()
    await see(other, 'Only owners do this: Heron Owner.')
    expect(await replace.getAttribute('aria-disabled')).toBe('true')

    await page.getByRole('link', { name: 'Prepare its policy' }).click()
    await signPrepared(page)
    await see(page, 'Version 2 is in force')
    await open(owner, '/treasury/executor')
    await see(page, 'Names the newest executor')
    const before = page.getByRole('list', { name: 'Executors that were in use before' })
    await expect
      .poll(
        async () => {
          await button(page, 'Look again').click()
          return before.getByText('Retired').count()
        },
        { timeout: 90_000, interval: 1_000 },
      )
      .toBe(1)
    await before.getByText(old?.address ?? '').waitFor()
    await before.getByText('ETH for gas').waitFor()
    const { binding, otherBindings } = must(await executorOf())
    expect(must(await vaultOf(house.vault.id)).policy?.executorAddress).toBe(binding?.address)
    expect(otherBindings).toMatchObject([{ address: old?.address, state: 'disabled' }])
  })

/** Signed by the approver: the first of two signatures, so nothing is paid. */
async function signOnce(expenseId: string): Promise<void> {
  const { path, approver } = treasury().house
  const { client, wallet } = approver
  const shown = must(await readForApproval(client, { ...path, expenseId }))
  const signed = await signApproval(client, {
    shown,
    approverAddress: wallet.address,
    sign: wallet.sign,
  })
  expect(signed.ok).toBe(true)
}

const invalidation = () =>
  test('a signature is invalidated at the vault, also one that counts no more here', async () => {
    const { house, owner, approver } = treasury()
    const expenseId = await expenseToSign(house, { purpose: 'A stand at the fair', usdc: 500n })
    const path = { ...house.path, expenseId }
    const expense = () => house.owner.client.call('getExpense', { path })
    await signOnce(expenseId)

    const page = await open(owner, `/expenses/${expenseId}`)
    await button(page, 'Invalidate the signature').click().catch(tellPage(page))
    await confirm(
      page,
      'Invalidate it in the wallet',
      'The vault refuses this signature from now on',
    )
    await until(expense, ({ approvals }) => approvals?.[0]?.state === 'invalidated', 'its end')

    await signOnce(expenseId)
    const body = { expectedVersion: 1 }
    must(await house.employee.client.call('cancelExpense', { path, body }))
    const own = await open(approver, `/expenses/${expenseId}`)
    const invalidate = button(own, 'Invalidate the signature')
    await invalidate.click().catch(tellPage(own))
    await dialog(own).getByText('Here it no longer counts already').waitFor()
    await confirm(
      own,
      'Invalidate it in the wallet',
      'The vault refuses this signature from now on',
    )
    await invalidate.click()
    await dialog(own).getByText('The vault refuses this signature already').waitFor()
    expect(await button(own, 'Invalidate it in the wallet').count()).toBe(0)
  })

const activation = () =>
  test('a policy that the service cannot put into force is a task of the owner', async () => {
    const { house, owner } = treasury()
    const { id } = await openVault(house, { label: 'Quick', changeDelaySeconds: 5 })
    const page = await open(owner, `/treasury/${id}/policy`)
    await page.getByLabel('Reserve', { exact: true }).fill('33')
    await signPrepared(page)
    await see(page, 'The policy waits').catch(tellPage(page))
    await open(owner, '')
    await page
      .getByRole('link', { name: 'Put the policy into force' })
      .click()
      .catch(tellPage(page))
    await see(page, 'The chain asks for higher fees than the service may pay.')
    await button(page, 'Put it into force').click()
    await confirm(page, 'Put it into force in the wallet', 'The policy is in force')
    const { policy } = await untilVault(id, (vault) => vault.policy?.version === 2, 'the policy')
    expect(policy?.reserveFloor).toBe('33000000')
  })

const firstPolicy = () =>
  test('a vault that lists recipients before its first policy gets one', async () => {
    const { house, owner } = treasury()
    const { id, address } = await deployVault(house, { label: 'Early' })
    const stranger = makeWallet(house.about).address
    await house.owner.wallet.call({
      address,
      abi: vaultAbi,
      functionName: 'changeRecipients',
      args: [0n, [house.recipient.address, stranger], []],
    })
    await untilVault(id, ({ recipientsVersion }) => recipientsVersion === 1, 'the recipients')
    const page = await open(owner, `/treasury/${id}/policy`)
    const changes = page.getByLabel('What the new policy changes')
    for (const text of ['removed: allows less', stranger, '1 without change']) {
      await changes.getByText(text).waitFor().catch(tellPage(page))
    }
    await signPrepared(page)
    await see(page, 'Version 1 is in force')
    const { policy } = must(await vaultOf(id))
    expect(policy?.recipientAddresses).toContain(house.recipient.address)
    expect(policy?.recipientAddresses).not.toContain(stranger)
  })

const rescue = () =>
  test('a token that was sent by mistake goes to the owner', async () => {
    const { house, owner } = treasury()
    const { wallet } = house.owner
    const hash = await wallet.send({ to: null, data: testUsdcCreationCode, gas: '5000000' })
    const reader = createPublicClient({ transport: http(house.about.rpc) })
    const { contractAddress } = await reader.getTransactionReceipt({ hash })
    const token = { address: contractAddress as Address, abi: testUsdcAbi }
    await wallet.call({ ...token, functionName: 'mint', args: [house.vault.address, 77n] })

    const page = await open(owner, `/treasury/${house.vault.id}`)
    await button(page, 'Send it to the owner').click().catch(tellPage(page))
    await dialog(page).getByLabel('Address of the token').fill(house.about.tokenAddress)
    await dialog(page).getByLabel('Amount in its smallest units').fill('77')
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await dialog(page).getByText("This is the vault's own token.").waitFor()
    await dialog(page).getByLabel('Address of the token').fill(token.address)
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await confirm(page, 'Send it in the wallet', 'The token was sent')
    const args = [wallet.address] as const
    expect(await reader.readContract({ ...token, functionName: 'balanceOf', args })).toBe(77n)
  })

export const ownerTasks = () =>
  describe('an owner', () => {
    invalidation()
    activation()
    firstPolicy()
    rescue()
  })
