/** A wallet that is somewhere else, says no, says nothing, or signs something else. */
import type { Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { expenseToSign } from '#test/browser/furnished.ts'
import {
  askedToSign,
  button,
  changesSentBy,
  type Stage,
  see,
  stage,
} from '#test/browser/hostile-stage.ts'
import { type TestWallet, WalletRefusal } from '#test/browser/test-wallet.ts'
import { open } from '#test/browser/walk.ts'

let expense: Promise<string> | undefined
const pathToSign = async () => {
  const { house } = stage()
  expense ??= expenseToSign(house, { purpose: 'Posters' })
  return `${house.screens}/expenses/${await expense}/sign`
}
/** With a wallet that was like that before the application was loaded. */
const openSigning = async (spoil: (wallet: TestWallet) => void) => {
  const { application, approver } = stage()
  const page = await approver.page()
  const changes = changesSentBy(page)
  spoil(approver.wallet)
  await page.clock.install()
  await page.goto(application.origin + (await pathToSign()))
  return { page, changes, approver, wallet: approver.wallet }
}
const toTheSignature = async () => {
  const { approver } = stage()
  const page = await approver.screen(await pathToSign())
  const changes = changesSentBy(page)
  await page.clock.install()
  await button(page, 'Check and continue').click()
  await button(page, 'Sign in wallet').waitFor()
  return { page, changes, approver, wallet: approver.wallet }
}
const submitted = (changes: string[]) => changes.filter((sent) => /submit-signature/.test(sent))

describe('a wallet', () => {
  test('on another account cannot go on, and can as soon as it is switched', async () => {
    const { page, wallet, approver } = await openSigning((own) => {
      own.key = generatePrivateKey()
    })
    await see(page, 'Your wallet shows another account')
    const next = button(page, 'Check and continue')
    expect(await next.getAttribute('aria-disabled')).toBe('true')
    wallet.key = stage().house.approver.key
    await wallet.emit(page, 'accountsChanged', [wallet.address()])
    await expect.poll(() => next.getAttribute('aria-disabled')).toBeNull()
    await next.click()
    await button(page, 'Sign in wallet').waitFor()
    // And back, with everything prepared: the button is gone again.
    wallet.key = generatePrivateKey()
    await wallet.emit(page, 'accountsChanged', [wallet.address()])
    await see(page, 'Your wallet shows another account')
    expect(await button(page, 'Sign in wallet').count()).toBe(0)
    expect(askedToSign(approver)).toEqual([])
  })

  test('on another chain that does not switch has nothing prepared', async () => {
    const { page, changes } = await openSigning((own) => {
      own.chainId = 1
      own.instead.wallet_switchEthereumChain = () => {
        throw new WalletRefusal(4902, 'Unknown chain')
      }
    })
    await button(page, 'Check and continue').click()
    await see(page, 'The vault could not be read through your wallet')
    await see(page, /^Switch your wallet to/)
    expect(changes).toEqual([])
  })

  test('that says no leaves everything as it was', async () => {
    const { page, changes, wallet, approver } = await toTheSignature()
    wallet.answer = 'reject'
    await button(page, 'Sign in wallet').click()
    await see(page, 'You rejected it in your wallet. Nothing happened.')
    await button(page, 'Sign again').waitFor()
    expect(askedToSign(approver)).toEqual(['eth_signTypedData_v4'])
    expect(submitted(changes)).toEqual([])
  })

  test('that is silent can be left, and what it signs later goes nowhere', async () => {
    const { page, changes, wallet } = await toTheSignature()
    const later = Promise.withResolvers<string>()
    wallet.instead.eth_signTypedData_v4 = () => later.promise
    await button(page, 'Sign in wallet').click()
    await see(page, 'Look at your wallet')
    await button(page, 'Stop waiting').click()
    await button(page, 'Check and continue').waitFor()
    later.resolve(`0x${'11'.repeat(65)}`)
    await button(page, 'Check and continue').click()
    await button(page, 'Sign in wallet').waitFor()
    expect(submitted(changes)).toEqual([])
    expect(await page.getByText('Your wallet signed something else').count()).toBe(0)
  })

  test('that does not read the chain is given up after twenty seconds', async () => {
    const { page, changes } = await openSigning((own) => {
      own.instead.eth_getCode = () => new Promise(() => {})
    })
    await button(page, 'Check and continue').click()
    await expect
      .poll(() => stage().approver.wallet.requests.some(({ method }) => method === 'eth_getCode'))
      .toBe(true)
    await page.clock.fastForward(21_000)
    await see(page, 'The vault could not be read through your wallet')
    await see(page, 'The connection to your wallet is lost. Open it and ask again.')
    expect(changes).toEqual([])
  })

  test.each([
    [
      'other data',
      ({ wallet }: Stage['approver']) => {
        wallet.alter = (data) => {
          const message = { ...(data.message as object), amount: '999000000' }
          return { ...data, message } as typeof data
        }
      },
    ],
    [
      'as another account',
      ({ wallet }: Stage['approver']) => {
        const other = privateKeyToAccount(generatePrivateKey())
        wallet.instead.eth_signTypedData_v4 = () => other.signMessage({ message: 'Hello' })
      },
    ],
  ])('that signs %s is found out, and nothing is sent', async (_what, spoil) => {
    const { page, changes, approver } = await toTheSignature()
    spoil(approver)
    await button(page, 'Sign in wallet').click()
    await see(page, 'Your wallet signed something else')
    expect(submitted(changes)).toEqual([])
    expect(await button(page, /^Sign/).count()).toBe(0)
  })

  test('with an approval past its deadline is not asked', async () => {
    const { page, approver } = await toTheSignature()
    await page.clock.fastForward(3_700_000)
    await see(page, 'The approval has expired')
    expect(await button(page, /^Sign/).count()).toBe(0)
    await button(page, 'Prepare it again').waitFor()
    expect(askedToSign(approver)).toEqual([])
  })
})

describe('no key alone asks for anything financial', () => {
  const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789']
  const KEYS = [...LETTERS, 'Escape', 'Enter', 'Space', 'Control+Enter', 'Meta+Enter', 'Delete']
  const pressAll = async (page: Page) => {
    for (const key of KEYS) await page.keyboard.press(key)
  }

  test('not even with everything prepared for a signature', async () => {
    const { page, changes, approver } = await toTheSignature()
    const before = changes.length
    await pressAll(page)
    expect(changes.slice(before)).toEqual([])
    expect(askedToSign(approver)).toEqual([])
  })

  test('nor on the screens that lead there', async () => {
    const { application, house, approver } = stage()
    const page = await approver.page()
    const changes = changesSentBy(page)
    const screens = ['', `/expenses/${await expense}`, `/treasury/${house.vault.id}`, '/activity']
    await page.goto(`${application.origin}/settings`)
    for (const screen of screens) {
      await open(page, house.screens + screen)
      await pressAll(page)
    }
    expect(changes).toEqual([])
    expect(askedToSign(approver)).toEqual([])
  })
})
