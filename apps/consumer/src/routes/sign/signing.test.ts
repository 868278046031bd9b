import { beforeEach, describe, expect, it } from 'vitest'
import { rememberOrganization } from './known-organizations.ts'
import {
  approver,
  chainWith,
  codeOfVault,
  DEADLINE,
  ORGANIZATION_HASH,
  preparedFor,
  RECIPIENT,
  serviceWith,
  shown,
  stranger,
  TOKEN,
} from './sign-fixture.ts'
import { askForSignature, type Prepared, prepareSigning, withUsualRecovery } from './signing.ts'

const token = { symbol: 'USDC', decimals: 6, address: TOKEN }
const account = approver.address
const asked = { organizationId: shown.expense.organizationId, expenseId: shown.expense.id }
const kept = new Map<string, string>()
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
}

beforeEach(() => kept.clear())

const prepare = (
  changes: Parameters<typeof chainWith>[0] = {},
  { body = preparedFor() as unknown, status = 200, shownToken = token, seen = shown } = {},
) =>
  prepareSigning({
    asked,
    storage,
    client: serviceWith(body, status),
    reader: chainWith(changes),
    shown: seen,
    account,
    token: shownToken,
  })

async function ready(): Promise<Prepared> {
  const result = await prepare()
  if (result.at !== 'ready') throw new Error(JSON.stringify(result))
  return result.prepared
}

const failedChecks = (result: Awaited<ReturnType<typeof prepare>>) =>
  result.at === 'refused' ? result.checks.filter(({ holds }) => !holds).map(({ id }) => id) : result

describe('preparing a signature', () => {
  it('is ready when service, page and chain agree', async () => {
    const prepared = await ready()
    expect(prepared.hashes.digest).toBe(preparedFor().digest)
    expect(prepared.checks.every(({ holds }) => holds)).toBe(true)
    expect(prepared.isContractWallet).toBe(false)
  })

  it.each([
    ['another recipient', { recipient: stranger.address }, 'recipient'],
    ['another amount', { amount: 4_999_000_000n }, 'amount'],
    ['a deadline beyond the hour', { extraSeconds: 600 }, 'policy'],
  ])('refuses %s of the service', async (_what, terms, check) => {
    expect(failedChecks(await prepare({}, { body: preparedFor(terms) }))).toContain(check)
  })

  it.each([
    ['a recipient that the vault does not list', { allowedFrom: 0n }, 'chain_recipient'],
    ['a recipient that can be paid only later', { allowedFrom: 4_000_000_000n }, 'chain_recipient'],
    ['a recipient that is blocked', { isBlocked: true }, 'chain_recipient'],
    ['a recipient that is an approver', { isRecipientApprover: true }, 'chain_recipient'],
    ['a recipient that is the executor', { executor: RECIPIENT }, 'chain_recipient'],
    ['a vault that asks for two signatures', { requiredApprovals: 2n }, 'chain_signatures'],
    ['an expense that is paid', { isPaid: true }, 'chain_recipient'],
    ['an approver whom the vault does not know', { isApprover: false }, 'chain_policy'],
    ['an older policy on the chain', { policyVersion: 2n }, 'chain_policy'],
    ['a token with other decimals', { decimals: 8 }, 'chain_token'],
    ['a token with another name', { symbol: 'FAKE' }, 'chain_token'],
    [
      'a digest that the vault does not compute',
      { digest: `0x${'00'.repeat(32)}` },
      'chain_digest',
    ],
  ] as const)('refuses %s', async (_what, chain, check) => {
    expect(failedChecks(await prepare(chain))).toEqual([check])
  })

  it('refuses what is no vault, and prepares nothing', async () => {
    const never = serviceWith({})
    const result = await prepareSigning({
      asked,
      client: { ...never, call: () => Promise.reject(new Error('was called')) } as typeof never,
      reader: chainWith({ code: '0x6000' }),
      shown,
      account,
      token,
    })
    expect(result.at).toBe('refused')
  })

  it("refuses another organization's vault", async () => {
    const organizationHash = `0x${'99'.repeat(32)}` as const
    const result = await prepare({ code: codeOfVault({ organizationHash }) })
    expect(failedChecks(result)).toContain('place')
  })

  it.each([
    ['expense', { organizationId: 'another' }],
    ['vault', { organizationId: 'another' }],
    ['report', { organizationId: 'another' }],
    ['expense', { id: 'another' }],
  ] as const)('refuses the %s of another organization or page: %o', async (part, change) => {
    const seen = { ...shown, [part]: { ...shown[part], ...change } } as typeof shown
    const never = serviceWith({})
    const result = await prepareSigning({
      asked,
      storage,
      client: { ...never, call: () => Promise.reject(new Error('was called')) } as typeof never,
      reader: chainWith(),
      shown: seen,
      account,
      token,
    })
    expect(failedChecks(result)).toContain('place')
  })

  it('refuses a vault of an organization that this browser knows under another name', async () => {
    rememberOrganization({ organizationId: 'other', organizationHash: ORGANIZATION_HASH }, storage)
    expect(failedChecks(await prepare())).toEqual(['chain_vault'])
  })

  it('refuses a vault of an organization that this browser has not signed for here', async () => {
    rememberOrganization({ ...asked, organizationHash: `0x${'99'.repeat(32)}` }, storage)
    expect(failedChecks(await prepare())).toEqual(['chain_vault'])
    rememberOrganization({ ...asked, organizationHash: ORGANIZATION_HASH }, storage)
    expect((await prepare()).at).toBe('ready')
  })

  it('says that a newer policy has overtaken it', async () => {
    expect(await prepare({ policyVersion: 4n })).toEqual({
      at: 'overtaken',
      changes: [{ kind: 'policy', from: 3, to: 4 }],
      failure: null,
    })
    expect((await prepare({ isPaused: true })).at).toBe('overtaken')
  })

  it('asks to switch when the approval is for another account', async () => {
    const body = { ...preparedFor(), approverAddress: stranger.address }
    expect(await prepare({}, { body })).toMatchObject({ at: 'wrong_account', account })
  })

  it.each([
    ['approval_expired', 'expired'],
    ['version_conflict', 'overtaken'],
    ['state_conflict', 'overtaken'],
    ['insufficient_funds', 'failed'],
    ['self_approval', 'failed'],
  ])('ends %s as %s', async (code, at) => {
    const body = { error: { code, message: 'No.', requestId: 'r' } }
    expect((await prepare({}, { body, status: 409 })).at).toBe(at)
  })

  it.each(['state_conflict', 'version_conflict'])(
    'keeps the reason of the service where %s overtakes it',
    async (code) => {
      const message = 'Another vault has already paid this expense.'
      const body = { error: { code, message, requestId: 'r' } }
      expect(await prepare({}, { body, status: 409 })).toMatchObject({
        at: 'overtaken',
        changes: [],
        failure: { code, message },
      })
    },
  )

  it('knows contract wallets from accounts that delegate', async () => {
    const isContract = async (approverCode: `0x${string}`) => {
      const result = await prepare({ approverCode })
      return result.at === 'ready' && result.prepared.isContractWallet
    }
    expect(await isContract('0x6080')).toBe(true)
    expect(await isContract(`0xef0100${'11'.repeat(20)}`)).toBe(false)
  })
})

describe('preparing one of two signatures', () => {
  const two = { requiredApprovals: 2n }
  const signedBy = (extraSeconds: number) => ({
    approvalId: 'of another',
    accountId: 'other',
    expenseRevision: 1,
    state: 'signed',
    cancelled: false,
    deadline: new Date((DEADLINE + extraSeconds) * 1_000).toISOString(),
  })
  const seenWith = (...approvals: object[]) =>
    ({
      ...shown,
      expense: { ...shown.expense, requiredApprovals: 2, approvals },
    }) as typeof shown

  const day = 86_400 - 3_600
  const prepareUntil = (extraSeconds: number, seen: typeof shown) => {
    const body = preparedFor({ extraSeconds })
    return prepare({ ...two, digest: body.digest as `0x${string}` }, { body, seen })
  }

  it('takes a day for a first signature, and no more', async () => {
    expect((await prepareUntil(day, seenWith())).at).toBe('ready')
    expect(failedChecks(await prepareUntil(day + 600, seenWith()))).toEqual(['policy'])
  })

  it('takes the deadline that the other signature has, however long', async () => {
    const week = 604_800 - 3_600
    expect((await prepareUntil(week, seenWith(signedBy(week)))).at).toBe('ready')
    expect(failedChecks(await prepareUntil(week + 1, seenWith(signedBy(week))))).toEqual(['policy'])
  })

  it('does not take over the deadline of a signature that ended', async () => {
    const ended = { ...signedBy(604_800), state: 'superseded' }
    expect(failedChecks(await prepareUntil(604_800, seenWith(ended)))).toEqual(['policy'])
  })

  it('refuses a vault that asks for fewer than were shown', async () => {
    const result = await prepare({ requiredApprovals: 1n }, { seen: seenWith() })
    expect(failedChecks(result)).toEqual(['chain_signatures'])
  })
})

describe('asking the wallet', () => {
  const signWith = (signer: typeof approver) => async (_account: string, typedData: object) => {
    const { types, ...rest } = typedData as Prepared['typedData']
    const { EIP712Domain: _domain, ...own } = types
    const value = await signer.signTypedData({ ...rest, types: own } as never)
    return { ok: true as const, value }
  }

  it("takes the approver's signature", async () => {
    expect((await askForSignature(await ready(), signWith(approver))).at).toBe('signature')
  })

  it('takes no other', async () => {
    expect((await askForSignature(await ready(), signWith(stranger))).at).toBe('wrong_signature')
  })

  it('hears a rejection', async () => {
    const sign = async () => ({ ok: false as const, problem: 'rejected' as const, message: '' })
    const answer = await askForSignature(await ready(), sign)
    expect(answer).toEqual({ at: 'rejected', problem: 'rejected' })
  })

  it('writes the recovery id as the vault expects it', () => {
    expect(withUsualRecovery(`0x${'aa'.repeat(64)}00`).slice(-2)).toBe('1b')
    expect(withUsualRecovery(`0x${'aa'.repeat(64)}01`).slice(-2)).toBe('1c')
    expect(withUsualRecovery(`0x${'aa'.repeat(64)}1c`).slice(-2)).toBe('1c')
    expect(withUsualRecovery('0x1234')).toBe('0x1234')
  })
})
