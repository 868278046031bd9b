import { describe, expect, it } from 'vitest'
import { vaultInCode } from '../../wallet/vault-code.ts'
import { allHold, checksOf, reportOf } from './checks.ts'
import { isKnownAddress, rememberAddresses } from './known-addresses.ts'
import { expenseChanges, policyChanges } from './overtaken.ts'
import { progressOf } from './progress.ts'
import { CHAIN_ID, codeOfVault, shown, TOKEN, VAULT } from './sign-fixture.ts'

const place = { chainId: CHAIN_ID, address: VAULT }

describe('the code of a vault', () => {
  it('says what it was made for', () => {
    expect(vaultInCode(codeOfVault(), place)?.token).toBe(TOKEN)
  })

  it('is refused with one digit changed, for another address, and for another chain', () => {
    const code = codeOfVault()
    expect(vaultInCode(`0x61${code.slice(4)}`, place)).toBeNull()
    expect(vaultInCode(code, { ...place, address: TOKEN })).toBeNull()
    expect(vaultInCode(code, { ...place, chainId: 1 })).toBeNull()
    expect(vaultInCode('0x', place)).toBeNull()
  })
})

describe('checks', () => {
  it('tick nothing that was not checked', () => {
    const checks = checksOf([{ link: 'recipient', holds: true, detail: '' }])
    expect(checks.find(({ id }) => id === 'recipient')?.holds).toBe(true)
    expect(checks.find(({ id }) => id === 'amount')?.holds).toBe(false)
    expect(allHold(checks)).toBe(false)
    expect(allHold([])).toBe(false)
  })

  it('lose no finding', () => {
    const checks = checksOf([{ link: 'something new', holds: false, detail: 'x' }])
    expect(checks.at(-1)).toMatchObject({ id: 'other', holds: false })
    expect(reportOf(checks)).toContain('something new: x')
  })
})

describe('known addresses', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }

  it('are those of one organization, in any case of letters', () => {
    rememberAddresses('one', [VAULT], storage)
    expect(isKnownAddress('one', VAULT.toLowerCase(), storage)).toBe(true)
    expect(isKnownAddress('two', VAULT, storage)).toBe(false)
  })

  it('survive a broken storage', () => {
    kept.set('countersign.signed-for.one', '{')
    expect(isKnownAddress('one', VAULT, storage)).toBe(false)
  })
})

describe('what overtakes a signature', () => {
  const { expense, vault } = shown

  it('is nothing while nothing changed', () => {
    expect(expenseChanges(expense, expense)).toEqual([])
    expect(policyChanges(vault, vault)).toEqual([])
  })

  it('is a revision, with what it changes', () => {
    const revision = { ...expense.revision, revision: 2, amountBaseUnits: '80000000' }
    const now = { ...expense, currentRevision: 2, revision, state: 'draft' as const }
    expect(expenseChanges(expense, now).map(({ kind }) => kind)).toEqual([
      'revision',
      'amount',
      'state',
    ])
  })

  const signed = (approvalId: string, displayName: string) => ({
    approvalId,
    state: 'signed',
    expenseRevision: 1,
    displayName,
    approverAddress: TOKEN,
  })

  it('is not one of two signatures, and is the last one', () => {
    const one = { ...expense, requiredApprovals: 2, approvals: [signed('one', 'Ana')] }
    const first = one as unknown as typeof expense
    expect(expenseChanges(expense, first)).toEqual([])
    const both = [signed('one', 'Ana'), signed('two', 'Chidi')]
    const last = { ...first, state: 'approved_ready_for_payment', approvals: both }
    expect(expenseChanges(first, last as unknown as typeof expense)).toEqual([
      { kind: 'signed', by: 'Chidi', approverAddress: TOKEN },
    ])
  })

  it('is the signature of another approver', () => {
    const approvals = [signed('one', 'Chidi')]
    const now = { ...expense, state: 'executing', approvals } as unknown as typeof expense
    expect(expenseChanges(expense, now)).toEqual([
      { kind: 'signed', by: 'Chidi', approverAddress: TOKEN },
    ])
  })

  it('is a new policy or a pause', () => {
    const { policy } = vault
    if (!policy) throw new Error('The fixture has a policy.')
    const newer = { ...vault, policy: { ...policy, version: 4 } }
    const paused = { ...vault, policy: { ...policy, paused: true } }
    expect(policyChanges(vault, newer)).toEqual([{ kind: 'policy', from: 3, to: 4 }])
    expect(policyChanges(vault, paused)).toEqual([{ kind: 'paused' }])
  })
})

describe('progress', () => {
  type State = Parameters<typeof progressOf>[0]['state']
  const now = (state: State, signedApprovals = 1, requiredApprovals = 1) =>
    progressOf({ state, signedApprovals, requiredApprovals }).find(({ when }) => when !== 'past')

  it('names what is waited for', () => {
    expect(now('reserved')).toEqual({ id: 'sent', when: 'now' })
    expect(now('broadcast')).toEqual({ id: 'on_chain', when: 'now' })
    expect(now('blocked')).toEqual({ id: 'sent', when: 'failed' })
    expect(now('confirmed')).toBeUndefined()
  })

  it('waits for the other signatures before it is sent', () => {
    expect(now('reserved', 1, 2)).toEqual({ id: 'others', when: 'now' })
    expect(now('reserved', 2, 2)).toEqual({ id: 'sent', when: 'now' })
    expect(now('blocked', 1, 2)).toEqual({ id: 'others', when: 'failed' })
    expect(now('confirmed', 2, 2)).toBeUndefined()
  })
})
