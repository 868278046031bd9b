/** Changes every signed field by one: at the API, in the rows, and on the way to the chain. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { uploaded } from '#test/support/attachments.ts'
import { executions } from '#test/support/past-the-service.ts'
import {
  approve,
  automaticReady,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  signTypedData,
  submitSignature,
  untilState,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

// Some of these tests attempt a dozen payments.
vi.setConfig({ testTimeout: 90_000 })

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury({ env: { PAYMENT_RELEASE: 'manual' } })
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

/** Increments the last digit. */
const bumpHex = (hex: string): Hex => {
  const next = ((Number.parseInt(hex.slice(-1), 16) + 1) % 16).toString(16)
  return `${hex.slice(0, -1)}${next}` as Hex
}
const bump = (value: string): string =>
  value.startsWith('0x') ? bumpHex(value.toLowerCase()) : (BigInt(value) + 1n).toString()

describe('at the API', () => {
  let expense: ReadExpense
  let signed: Awaited<ReturnType<typeof prepareAndSign>>

  beforeAll(async () => {
    expense = await awaitingApproval(house)
    signed = await prepareAndSign(house, expense)
  })

  test.each([
    ...['approvalId', 'approver', 'organizationHash', 'paymentId', 'token', 'recipient', 'amount'],
    ...['policyVersion', 'reportHash', 'expenseVersionHash', 'deadline'],
  ])('refuses a signature over another %s', async (field) => {
    const { message } = signed.prepared
    const changed = { ...message, [field]: bump(message[field]) }
    const signature = await signTypedData(house.approverWallet, {
      ...signed.prepared,
      message: changed,
    })
    const answer = await submitSignature(house, expense, { ...signed, signature })
    expect(outcome(answer)).toBe('409 invalid_signature')
  })

  test.each([
    ['name', 'Countersignvault'],
    ['version', '2'],
    ['chainId', 31_338],
    ['verifyingContract', `0x${'11'.repeat(20)}`],
  ])('refuses a signature for another %s', async (field, value) => {
    const domain = { ...signed.prepared.domain, [field]: value }
    const signature = await signTypedData(house.approverWallet, { ...signed.prepared, domain })
    const answer = await submitSignature(house, expense, { ...signed, signature })
    expect(outcome(answer)).toBe('409 invalid_signature')
  })

  test('leaves the expense awaiting the right signature', async () => {
    expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  })
})

type Harm = (expense: ReadExpense) => [statement: string, values: unknown[]]

const ofPayment =
  (column: string, changed: string): Harm =>
  ({ paymentId }) => [`update payments set ${column} = ${changed} where id = $1`, [paymentId]]

/** Increments the last digit of a hexadecimal column. */
const bumped = (column: string) =>
  `left(${column}, -1) || translate(right(${column}, 1), '0123456789abcdef', '123456789abcdef0')`
const ofPaymentHex = (column: string): Harm => ofPayment(column, bumped(column))
const ofSignature =
  (change: string): Harm =>
  ({ paymentId }) => [`update payment_signatures set ${change} where payment_id = $1`, [paymentId]]
const ofRevision =
  (change: string): Harm =>
  ({ id }) => [`update expense_revisions set ${change} where expense_id = $1`, [id]]
const ofReport: Harm = ({ currentReportId }) => [
  `update reports set output = jsonb_set(output, '{riskScore}', '1') where id = $1`,
  [currentReportId],
]

const both: [string, Harm][] = [
  ['the amount', ofPayment('amount', 'amount + 1')],
  ['the recipient', ofPaymentHex('recipient_address')],
  ['the token', ofPaymentHex('token_address')],
  ['the payment id', ofPaymentHex('chain_payment_id')],
  ['the report hash', ofPaymentHex('report_hash')],
  ['the revision hash', ofPaymentHex('expense_version_hash')],
  ["the revision's amount", ofRevision('amount = amount + 1')],
  ["the revision's recipient", ofRevision(`recipient_address = ${bumped('recipient_address')}`)],
  ["the revision's purpose", ofRevision(`purpose = purpose || '.'`)],
  ["the revision's own hash", ofRevision(`version_hash = ${bumped('version_hash')}`)],
  ["the report's content", ofReport],
]
const onlySigned: [string, Harm][] = [
  ['the deadline', ofPayment('deadline', "deadline + interval '1 second'")],
  ['the digest', ofPaymentHex('approval_digest')],
  ['the approver', ofSignature(`approver_address = ${bumped('approver_address')}`)],
  ['the signature', ofSignature(`signature = ${bumped('signature')}`)],
  ['the digest of the signature', ofSignature(`digest = ${bumped('digest')}`)],
  [
    'the person who signed',
    ofSignature(
      'account_id = (select account_id from memberships where role = $$manager$$ limit 1)',
    ),
  ],
  [
    'the approval, taken back',
    ({ id }) => ['update approvals set cancelled_at = now() where expense_id = $1', [id]],
  ],
]

/** Refusals by the database, or by the vault when it is asked first. */
const REFUSALS = [
  ...['evidence_mismatch', 'signature_not_authentic', 'approval_cancelled'],
  ...['invalid_signature', 'recipient_not_allowed', 'approver_not_allowed'],
]

async function expectNeverPaid(expense: ReadExpense, [name, harm]: [string, Harm]): Promise<void> {
  const [statement, values] = harm(expense)
  const { payment: before } = await readPayment(house, expense.paymentId)
  await treasury.service.database.asOwner(statement, values)
  const released = await release(house, expense)
  expect([name, released.status]).toEqual([name, 202])
  await expect
    .poll(async () => (await readPayment(house, expense.paymentId)).payment.state)
    .toBe('blocked')
  const { payment, attempts } = await readPayment(house, expense.paymentId)
  expect(REFUSALS, name).toContain(payment.blockCode)
  expect(attempts, name).toEqual([])
  const paid = await executions(house)
  expect(paid, name).not.toContain(before.chainPaymentId)
  expect(paid, name).not.toContain(payment.chainPaymentId)
}

/** Limits concurrency: all at once would contend for the vault's row. */
async function fewAtATime<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const takeNext = async (): Promise<void> => {
    const next = left.shift()
    if (next === undefined) return
    await work(next)
    await takeNext()
  }
  await Promise.all([takeNext(), takeNext(), takeNext()])
}

describe('in the rows, between reservation and sending', () => {
  test('a signed payment is never paid, whichever field was changed', async () => {
    await fewAtATime([...both, ...onlySigned], async (harm) => {
      const expense = await awaitingApproval(house)
      expect((await approve(house, expense)).body.state).toBe('reserved')
      await expectNeverPaid(expense, harm)
    })
  })

  test('an automatic payment is never paid, whichever field was changed', async () => {
    let amount = 2_000_000
    await fewAtATime(both, async (harm) => {
      // More than one apart, so that an amount changed by one does not equal the next expense's.
      amount += 10
      const terms = { amountBaseUnits: String(amount) }
      await expectNeverPaid(await automaticReady(house, terms), harm)
    })
  })

  const detailed: [string, Harm][] = [
    ['the category', ofRevision("category = 'SW'")],
    ['the reference', ofRevision("reference = reference || '0'")],
    ['the due date', ofRevision('due_date = due_date + 1')],
    ['all attachments, unmentioned', ofRevision('attachment_count = 0')],
    [
      'an attachment, taken away',
      ({ id }) => ['delete from revision_attachments where expense_id = $1 and position = 1', [id]],
    ],
    [
      'the order of the attachments',
      ({ id }) => [
        'update revision_attachments set position = 5 where expense_id = $1 and position = 0',
        [id],
      ],
    ],
    [
      'an attachment, for another',
      ({ id }) => [
        `update revision_attachments x set attachment_id = a.id, sha256 = a.sha256
         from attachments a where x.expense_id = $1 and x.position = 0 and a.name = 'other.pdf'
           and a.organization_id = x.organization_id`,
        [id],
      ],
    ],
  ]

  test('a payment with details is paid, and never when one of them was changed', async () => {
    const { service } = treasury
    const person = house.employee
    const body = { categories: ['6670', 'SW'].map((code) => ({ code, name: code })) }
    await service.call('PUT', `${house.path}/categories`, { token: house.owner.token, body })
    await uploaded(service, house, { disposition: 'attachment; filename=other.pdf' })
    const make = async () => {
      const files = [
        await uploaded(service, house, { person }),
        await uploaded(service, house, { person }),
      ]
      const attachmentIds = files.map(({ id }) => id)
      const reference = `INV-${attachmentIds[0]}`
      const terms = { attachmentIds, reference, category: '6670', dueDate: '2099-12-31' }
      const expense = await awaitingApproval(house, terms)
      expect((await approve(house, expense)).body.state).toBe('reserved')
      return expense
    }
    await fewAtATime(detailed, async (harm) => expectNeverPaid(await make(), harm))
    const untouched = await make()
    await release(house, untouched)
    await untilState(house, untouched.id, 'paid')
  })

  test('a policy version that never was needs a new signature; the next is paid', async () => {
    const [later, untouched] = [await awaitingApproval(house), await awaitingApproval(house)]
    for (const expense of [later, untouched]) await approve(house, expense)
    const [statement, values] = ofPayment('policy_version', 'policy_version + 1')(later)
    await treasury.service.database.asOwner(statement, values)
    for (const expense of [later, untouched]) await release(house, expense)
    await untilState(house, untouched.id, 'paid')
    const { payment, attempts } = await readPayment(house, later.paymentId)
    expect([payment.state, attempts]).toEqual(['blocked', []])
    expect((await readExpense(house, later.id)).state).toBe('awaiting_approval')
    expect(await executions(house)).not.toContain(payment.chainPaymentId)
  })
})

describe('on the way to the chain', () => {
  const TERMS = [
    ...['paymentId', 'recipient', 'amount', 'policyVersion', 'reportHash', 'expenseVersionHash'],
    'deadline',
  ] as const
  const NAMES = [...TERMS, 'approvalId', 'approver', 'signature'] as const
  const APPROVALS = parseAbiParameters(
    '(bytes32 approvalId, address approver, bytes signature)[] approvals',
  )

  test('the executor can send only what was signed', async () => {
    const expense = await awaitingApproval(house)
    const { prepared, signature } = await prepareAndSign(house, expense)
    const right: Record<string, string> = { ...prepared.message, signature }
    const numbers = ['amount', 'policyVersion', 'deadline']
    const simulate = (values: Record<string, string>, account = house.executor) =>
      treasury.chain.client.simulateContract({
        account,
        address: house.vault.address,
        abi: vaultAbi,
        functionName: 'executeApproved',
        args: [
          ...TERMS.map((name) =>
            numbers.includes(name) ? BigInt(values[name] ?? 0) : values[name],
          ),
          encodeAbiParameters(APPROVALS, [[values as never]]),
        ] as never,
      })
    await expect(simulate(right)).resolves.toBeDefined()
    await expect(simulate(right, house.ownerWallet.address)).rejects.toThrow(/NotExecutor/)
    const refusals = /InvalidSignature|VersionMismatch|ApproverNotAllowed|RecipientNotAllowed/
    for (const name of NAMES) {
      const changed = { ...right, [name]: bump(right[name] ?? '') }
      await expect(simulate(changed), name).rejects.toThrow(refusals)
    }
  })
})
