/** A service that lies: each lie alone, and what the page makes of it. */
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { expenseToSign } from '#test/browser/furnished.ts'
import {
  type Answer,
  askedToSign,
  beHonest,
  button,
  changesSentBy,
  enter,
  expectNoSignature,
  see,
  stage,
  tamper,
} from '#test/browser/hostile-stage.ts'

const STRANGER = '0x304E22bca613ecB8958be63F78F20496E3ef39E7'
const SOMEBODY = '01a1e596-61ec-7e43-b1ee-27890f2ed341'

/** What the page remembers of these would explain the next lie. */
const NEEDS_A_NEW_PAGE = ['policy', 'number of signatures', 'number of decimals', 'expense']

type Lie = [what: string, operation: string, change: (answer: Answer) => void]

const ABOUT_THE_APPROVAL: Lie[] = [
  ['recipient', 'prepareApproval', ({ message }) => (message.recipient = STRANGER)],
  ['amount', 'prepareApproval', ({ message }) => (message.amount = '999000000')],
  ['vault', 'prepareApproval', ({ domain }) => (domain.verifyingContract = STRANGER)],
  ['digest', 'prepareApproval', (answer) => (answer.digest = `0x${'ab'.repeat(32)}`)],
  [
    'type of data',
    'prepareApproval',
    (answer) => answer.types[answer.primaryType].push({ name: 'extra', type: 'uint256' }),
  ],
  ['deadline', 'prepareApproval', ({ message }) => (message.deadline = '4070908800')],
]

const ABOUT_WHAT_IS_SHOWN: Lie[] = [
  ['recipient', 'getExpense', ({ revision }) => (revision.recipientAddress = STRANGER)],
  ['amount', 'getExpense', ({ revision }) => (revision.amountBaseUnits = '7500000')],
  ['purpose', 'getExpense', ({ revision }) => (revision.purpose = 'Something harmless')],
  ['vault', 'getVault', (vault) => (vault.address = STRANGER)],
  [
    'analysis',
    'getRevisionReport',
    ({ output }) => Object.assign(output, { riskScore: 0, summary: 'Fine' }),
  ],
  ['policy', 'getVault', ({ policy }) => (policy.version += 1)],
  // Whoever believes that another person will check signs more easily.
  ['number of signatures', 'getExpense', (expense) => (expense.requiredApprovals = 2)],
  ['number of decimals', 'getClientConfig', ({ token }) => (token.decimals = 8)],
]

/** They belong to another organization, in which the same person may approve as well. */
const ABOUT_THE_ORGANIZATION: Lie[] = [
  ['expense', 'getExpense', (expense) => (expense.organizationId = SOMEBODY)],
  ['vault', 'getVault', (vault) => (vault.organizationId = SOMEBODY)],
  ['report', 'getRevisionReport', (report) => (report.organizationId = SOMEBODY)],
]

let expense: Promise<string> | undefined
const expenseId = () => {
  expense ??= expenseToSign(stage().house)
  return expense
}

const pathOf = async (operation: string): Promise<string> => {
  const { path, vault } = stage().house
  const house = `/v1/consumer/organizations/${path.organizationId}`
  const own = `${house}/expenses/${await expenseId()}`
  const paths: Record<string, string> = {
    getClientConfig: '/v1/consumer/config',
    getVault: `${house}/vaults/${vault.id}`,
    getExpense: own,
    getRevisionReport: `${own}/revisions/1/report`,
    prepareApproval: `${own}/approvals/prepare`,
  }
  return paths[operation] ?? ''
}

let open: { page: Page; changes: string[] } | undefined

/** On the page that is open, with everything read again, unless it has seen too much. */
const openSigning = async ([what, operation, change]: Lie) => {
  const { application, house, approver } = stage()
  const path = await pathOf(operation)
  if (open && !NEEDS_A_NEW_PAGE.includes(what)) {
    await tamper(open.page, path, change)
    open.changes.length = 0
    await button(open.page, 'Reload everything').click()
  } else {
    const page = await approver.page()
    open = { page, changes: changesSentBy(page) }
    await tamper(page, path, change)
    await page.goto(`${application.origin}${house.screens}/expenses/${await expenseId()}/sign`)
  }
  return { ...open, approver }
}

describe('a service that shows one thing and has another signed', () => {
  afterEach(() => open && beHonest(open.page))

  test.each([...ABOUT_THE_APPROVAL, ...ABOUT_WHAT_IS_SHOWN])(
    'is found out by another %s in %s',
    async (...lie) => {
      const { page, changes, approver } = await openSigning(lie)
      await button(page, 'Check and continue').click()
      await see(page, 'Do not sign this')
      await expectNoSignature(page, approver)
      expect(changes.filter((sent) => !sent.endsWith('/prepare'))).toEqual([])
    },
  )

  test.each(ABOUT_THE_ORGANIZATION)(
    'is found out by the %s of another organization, before there is anything to check',
    async (...lie) => {
      const { page, changes, approver } = await openSigning(lie)
      // On a page that is read again, the refusal before this one has gone first.
      await see(page, new RegExp(`organization of the ${lie[0]}: stated`))
      await see(page, 'Do not sign this')
      await expectNoSignature(page, approver)
      expect(await button(page, 'Check and continue').count()).toBe(0)
      expect(changes).toEqual([])
    },
  )

  test('has its vault announced as one that this browser has not signed for', async () => {
    const { page } = await openSigning(['label', 'getVault', (vault) => (vault.label = 'Main')])
    await see(page, 'You have not signed for this vault here since you signed in.')
    await see(page, 'You have not signed a payment to this address here since you signed in.')
  })
})

describe('a service that prepares another policy', () => {
  const vaultPath = () => {
    const { path, vault } = stage().house
    return `/v1/consumer/organizations/${path.organizationId}/vaults/${vault.id}`
  }
  const openPolicy = async () => {
    const { application, house, owner } = stage()
    const page = await owner.page()
    const path = `${house.screens}/treasury/${house.vault.id}/policy`
    const open = () => page.goto(application.origin + path)
    return { page, open, path, owner }
  }

  test('loses nothing that was typed when another policy comes first', async () => {
    const { page, open } = await openPolicy()
    await page.clock.install()
    await open()
    const field = page.getByLabel('Reserve', { exact: true })
    await field.fill('123')
    await tamper(page, vaultPath(), ({ policy }) => {
      policy.version += 1
    })
    // The person comes back to the page after a while.
    await page.clock.fastForward(20_000)
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await see(page, /^Someone set version \d+ in the meantime$/)
    expect(await field.inputValue()).toBe('123')
    expect(await button(page, 'Prepare for signing').getAttribute('aria-disabled')).toBe('true')
    await button(page, 'I have seen it. Go on with what I typed').click()
    expect(await field.inputValue()).toBe('123')
    expect(await button(page, 'Prepare for signing').getAttribute('aria-disabled')).toBeNull()
  })

  test('loses nothing that was typed when the session ends', async () => {
    const { page, open } = await openPolicy()
    await page.clock.install()
    await open()
    const field = page.getByLabel('Reserve', { exact: true })
    await field.fill('123')
    const error = { code: 'unauthenticated', message: 'No session.', requestId: 'r' }
    await page.route('**/v1/**', (route) => route.fulfill({ status: 401, json: { error } }))
    await page.clock.fastForward(20_000)
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await see(page, /^Your session has ended\./)
    await button(page, 'Sign in again').first().waitFor()
    expect(await field.inputValue()).toBe('123')
  })

  test('has nothing of it signed: data, description, present, counterfeit, chain', async () => {
    const { page, open, owner } = await openPolicy()
    await open()
    await page.getByLabel('With a signature, up to').fill('900')
    await button(page, 'Prepare for signing').click()
    await see(page, 'What you are about to sign')
    await button(page, 'Sign and send in the wallet').waitFor()

    type Change = (answer: Answer) => void
    const lies: [text: string, ofTheIntent: Change, ofTheVault?: Change][] = [
      [
        'Do not sign: this transaction does something else',
        ({ transaction }) => {
          const [cap, more] = [900_000_000, 999_000_000].map((amount) =>
            amount.toString(16).padStart(64, '0'),
          )
          transaction.data = transaction.data.replace(cap, more)
        },
      ],
      [
        'Do not sign: this transaction does something else',
        ({ transaction }) => (transaction.to = STRANGER),
      ],
      [
        'Do not sign: the service describes other changes than this page computed',
        ({ changes }) => (changes.approvedCap = null),
      ],
      // Consistent, about what is in force now. Only the chain can tell.
      [
        'Do not sign: the chain says something else about this vault',
        ({ changes, lifetimeCap }) =>
          (changes.lifetimeCap = { from: '9000000000', to: lifetimeCap }),
        ({ policy }) => (policy.lifetimeCap = '9000000000'),
      ],
    ]
    for (const [text, ofTheIntent, ofTheVault] of lies) {
      await tamper(page, `${vaultPath()}/policy-intents`, ({ policyIntents: [intent] }) =>
        ofTheIntent(intent),
      )
      if (ofTheVault) await tamper(page, vaultPath(), ofTheVault)
      await open()
      await see(page, text)
      await expectNoSignature(page, owner)
      await beHonest(page)
    }
    // The code at the address is another contract, which answers everything else rightly.
    owner.wallet.instead.eth_getCode = () => '0x6001600101'
    await open()
    await see(page, 'Do not sign. This is not the vault')
    await expectNoSignature(page, owner)
    // A wallet that says that it switched, and did not.
    owner.wallet.chainId = 1
    owner.wallet.instead = { wallet_switchEthereumChain: () => null }
    await open()
    await see(page, 'Your wallet is on another network')
    await button(page, /^Switch to/).click()
    await see(page, 'Your wallet is on another network')
    await expectNoSignature(page, owner)
  })
})

test('a deposit into a counterfeit is not offered', async () => {
  const { application, house, owner } = stage()
  const page = await owner.page()
  owner.wallet.instead.eth_getCode = () => '0x6001600101'
  await page.goto(`${application.origin}${house.screens}/treasury/${house.vault.id}`)
  await see(page, 'Do not deposit. This is not the vault')
  expect(askedToSign(owner)).toEqual([])
  expect(await button(page, /allow in the wallet|deposit in the wallet/).count()).toBe(0)
})

test('a page whose script was changed on its way signs nothing', async () => {
  const { application, house } = stage()
  // In a browser of its own, because a browser keeps a script that it has refused.
  const approver = await enter(application, house, house.approver)
  const page = await approver.page()
  await page.route('**/assets/sign-page-*.js', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: `${await answer.text()} ` })
  })
  await page.goto(`${application.origin}${house.screens}/expenses/${await expenseId()}/sign`)
  await see(page, 'This page could not be shown')
  await expectNoSignature(page, approver)
  await approver.close()
})
