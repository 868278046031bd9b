import type { Failure } from '@countersign/client/errors.ts'
import { describe, expect, it } from 'vitest'
import { vaultInCode } from '../../wallet/vault-code.ts'
import { allHold, checksOf, reportOf } from './checks.ts'
import { interruptionOf } from './interruption.ts'
import { isKnownAddress, rememberAddresses } from './known-addresses.ts'
import { oneStep } from './one-step.ts'
import { expenseChanges, policyChanges, unexplainedRefusal } from './overtaken.ts'
import { awaitedOf, progressOf } from './progress.ts'
import { CHAIN_ID, codeOfVault, shown, TOKEN, VAULT } from './sign-fixture.ts'
import type { Prepared } from './signing.ts'

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

describe('a refusal', () => {
  const failure = { code: 'state_conflict', message: 'The recipient is inactive.' } as Failure

  it('is shown with its reason while no change explains it', () => {
    expect(unexplainedRefusal({ failure, changes: [] })).toBe(failure)
    expect(unexplainedRefusal({ failure, changes: [{ kind: 'paused' }] })).toBeNull()
    expect(unexplainedRefusal({ failure: null, changes: [] })).toBeNull()
  })
})

describe('the wait for a wallet', () => {
  const DEADLINE_MS = 60_000
  const prepared = { deadlineSeconds: DEADLINE_MS / 1_000 } as Prepared
  const waiting = { at: 'in_wallet', prepared } as const
  const before = { changes: [], now: DEADLINE_MS - 1 }

  it('goes on while nothing has happened', () => {
    expect(interruptionOf(waiting, before)).toBeNull()
  })

  it('ends when something changes, and at the deadline', () => {
    expect(interruptionOf(waiting, { ...before, changes: [{ kind: 'paused' }] })).toBe('reviewing')
    expect(interruptionOf(waiting, { changes: [], now: DEADLINE_MS })).toBe('expired')
  })

  it('interrupts nothing that is being sent', () => {
    const news = { changes: [{ kind: 'paused' }] as const, now: DEADLINE_MS }
    expect(interruptionOf({ at: 'submitting' }, news)).toBeNull()
  })
})

describe('one step at a time', () => {
  it('starts no second one', async () => {
    const { run } = oneStep()
    const started: string[] = []
    const first = Promise.withResolvers<void>()
    const running = run(() => first.promise.then(() => void started.push('first')))
    await run(async () => void started.push('second'))
    first.resolve()
    await running
    expect(started).toEqual(['first'])
  })

  it('sends nothing for a wallet that answers after it was let go', async () => {
    const { run, letGo } = oneStep()
    const wallet = Promise.withResolvers<string>()
    const sent: string[] = []
    const asked = run(async (isCurrent) => {
      const signature = await wallet.promise
      if (isCurrent()) sent.push(signature)
    })
    letGo()
    const next = Promise.withResolvers<void>()
    const other = run(() => next.promise)
    wallet.resolve('0x01')
    await asked
    expect(sent).toEqual([])
    // The end of the former step does not end the next one.
    await run(async () => void sent.push('a third step'))
    expect(sent).toEqual([])
    next.resolve()
    await other
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

describe('after a signature', () => {
  type Payment = Parameters<typeof awaitedOf>[0]
  const reserved = (signedApprovals: number): Payment => ({
    state: 'reserved',
    requiredApprovals: 2,
    signedApprovals,
  })

  it('what follows happens by itself only where nobody has to release it', () => {
    expect(awaitedOf(reserved(2), 'automatic')).toBe('nothing')
    expect(awaitedOf(reserved(2), 'manual')).toBe('release')
    expect(awaitedOf({ ...reserved(2), state: 'queued' }, 'manual')).toBe('nothing')
  })

  it('the last signature pays only where nobody has to release it', () => {
    expect(awaitedOf(reserved(1), 'automatic')).toBe('signatures')
    expect(awaitedOf(reserved(1), 'manual')).toBe('signatures_and_release')
  })
})
