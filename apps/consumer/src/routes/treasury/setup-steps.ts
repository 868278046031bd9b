/** What a new organization needs before it can pay, computed from what exists. */
import type { DataOf, ItemOf } from '@countersign/client/operation-types.ts'
import type { Role } from '../../data/organization.tsx'

export type Member = ItemOf<'listMembers'>
export type Vault = ItemOf<'listVaults'>

export const SETUP_STEPS = [
  'person',
  'wallet',
  'treasury_owner',
  'approver',
  'executor',
  'vault',
  'recipient',
  'deposit',
  'policy',
] as const
export type SetupStepId = (typeof SETUP_STEPS)[number]

export type SetupStep = {
  id: SetupStepId
  state: 'done' | 'next' | 'open' | 'later'
  /** Whether this person can do it. */
  isYours: boolean
  /** What has to be there first. Empty if it can be done now. */
  needs: SetupStepId[]
}

export type SetupFacts = {
  role: Role
  members: readonly Member[]
  hasOwnWallet: boolean
  hasRecipient: boolean
  vaults: readonly Vault[]
  /** Null where the person may not see it. */
  executor: DataOf<'getExecutor'> | null
  hasPolicy: boolean
  balanceBaseUnits: string | null
}

const NEEDS: Partial<Record<SetupStepId, readonly SetupStepId[]>> = {
  treasury_owner: ['wallet'],
  vault: ['treasury_owner'],
  policy: ['vault', 'executor', 'approver'],
  deposit: ['vault'],
}

const OWNERS_ONLY: readonly SetupStepId[] = [
  'treasury_owner',
  'approver',
  'executor',
  'vault',
  'policy',
]

/** A wallet whose key the service does not hold, and that has the role. */
const holdsRole = (member: Member, role: 'treasury_owner' | 'approver'): boolean =>
  member.walletRoles.some(
    (given) =>
      given.active &&
      given.role === role &&
      member.wallets.some(({ id, kind }) => id === given.walletId && kind !== 'server'),
  )

const isUsable = ({ status, archivedAt }: Vault): boolean =>
  status === 'verified' && archivedAt === null

function isDone(id: SetupStepId, facts: SetupFacts): boolean {
  const active = facts.members.filter(({ status }) => status === 'active')
  switch (id) {
    case 'person':
      return active.length > 1
    case 'wallet':
      return (
        facts.hasOwnWallet ||
        active.some(
          ({ role, wallets }) => role === 'owner' && wallets.some(({ kind }) => kind !== 'server'),
        )
      )
    case 'treasury_owner':
    case 'approver':
      return active.some((member) => holdsRole(member, id))
    case 'executor':
      // Whoever may not see the executor is not told that it is missing once there is a policy.
      return facts.executor ? facts.executor.binding !== null : facts.hasPolicy
    case 'vault':
      return facts.vaults.some(isUsable)
    case 'recipient':
      return facts.hasRecipient
    case 'policy':
      return facts.hasPolicy
    case 'deposit':
      return BigInt(facts.balanceBaseUnits ?? '0') > 0n
  }
}

const mayDo = (id: SetupStepId, role: Role): boolean => {
  if (OWNERS_ONLY.includes(id)) return role === 'owner'
  return id === 'wallet' || id === 'deposit' || role !== 'employee'
}

export function setupSteps(facts: SetupFacts): SetupStep[] {
  const done = new Set(SETUP_STEPS.filter((id) => isDone(id, facts)))
  const steps = SETUP_STEPS.map((id): SetupStep => {
    const needs = (NEEDS[id] ?? []).filter((needed) => !done.has(needed))
    const state = done.has(id) ? 'done' : needs.length > 0 ? 'later' : 'open'
    return { id, state, isYours: mayDo(id, facts.role), needs }
  })
  // Someone else's step is nobody's next step here while there is one of one's own.
  const open = steps.filter(({ state }) => state === 'open')
  const next = open.find(({ isYours }) => isYours) ?? open[0]
  return steps.map((step) => (step === next ? { ...step, state: 'next' } : step))
}

export const isSetUp = (steps: readonly SetupStep[]): boolean =>
  steps.every(({ state }) => state === 'done')
