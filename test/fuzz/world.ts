/** Existing people and resources: the ids that later requests build on. */
import type { PrivateKeyAccount } from 'viem/accounts'
import type { TokenRequest } from '#dev/identity.ts'
import { createUnsubscribeToken } from '#email/unsubscribe-token.ts'
import { setAccountStatus } from '#identity/operators.ts'
import { type Keeping, makeKeeping } from '#test/fuzz/exporting.ts'
import { type Funding, noFunding } from '#test/fuzz/funding.ts'
import { type Linking, noLinks } from '#test/fuzz/linking.ts'
import { accountOf, type KnownApproval, meetApproval } from '#test/fuzz/paying.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'

/** Each list holds the newest few first, so that random choices meet live resources. */
export type Tenant = {
  id: string
  members: Guest[]
  membershipIds: string[]
  /** An owner can confirm each of them once. */
  pendingMembershipIds: string[]
  wallets: { membershipId: string; walletId: string }[]
  invitationIds: string[]
  inviteTokens: string[]
  recipientIds: string[]
  walletRoleIds: string[]
  vaultIds: string[]
  /** Given one by the house; the others must request theirs. */
  hasExecutor: boolean
  deploymentIds: string[]
  policyIntents: { vaultId: string; intentId: string }[]
  expenses: KnownExpense[]
  /** Submitted but not analysed yet. */
  runIds: string[]
  reportIds: string[]
  approvers: Guest[]
  approvals: KnownApproval[]
  paymentIds: string[]
  /** Unrecorded payments of its vaults. */
  unrecordedPaymentIds: string[]
  proofIds: string[]
  caseIds: string[]
  webhookIds: string[]
  /** Events that notify members. */
  eventIds: string[]
  attachmentIds: string[]
  funding: Funding
}

export type KnownExpense = { id: string; version: number; state: string; submitter: string }

export type Guest = Person & { identityTokens: string[]; unsubscribeToken: string }

export type World = {
  people: Guest[]
  operators: string[]
  /** Tokens that are invalid, or valid for some operations only. */
  badTokens: string[]
  tenants: Tenant[]
  /** Organizations created so far. */
  made: number
  cursors: string[]
  /** Server wallets and their holders. */
  keeping: Keeping
  linking: Linking
  /** By address, in lower case. */
  accounts: Map<string, PrivateKeyAccount>
}

const KEPT = 25
const TENANTS = 12
/** Beyond those, one of this many new ones is kept. */
const NEXT = 8

const keep = <T>(list: T[], ...items: T[]): void => {
  list.unshift(...items)
  list.length = Math.min(list.length, KEPT)
}

export const makeTenant = (id: string, owner: Guest, hasExecutor: boolean): Tenant => ({
  id,
  members: [owner],
  membershipIds: [],
  pendingMembershipIds: [],
  wallets: [],
  invitationIds: [],
  inviteTokens: [],
  recipientIds: [],
  walletRoleIds: [],
  vaultIds: [],
  hasExecutor,
  deploymentIds: [],
  policyIntents: [],
  expenses: [],
  runIds: [],
  reportIds: [],
  approvers: [],
  approvals: [],
  paymentIds: [],
  unrecordedPaymentIds: [],
  proofIds: [],
  caseIds: [],
  webhookIds: [],
  eventIds: [],
  attachmentIds: [],
  funding: noFunding(),
})

/** The person's own, and one that claims a wallet of an earlier person. */
async function identityTokens({ identity }: TestApp, n: number, wallets: TokenRequest['wallets']) {
  const claimed = { address: walletOf(Math.max(1, n - 4)), kind: 'external' as const }
  const issue = async (linked: TokenRequest['wallets'] = []) =>
    (await identity.issue({ realm: 'consumer', subject: `person ${n}`, wallets: linked }))
      .identityToken
  return [await issue(wallets), await issue(), await issue([claimed])]
}

const walletOf = (n: number, more = 0): string => accountOf(n, more).address.toLowerCase()

export async function makeWorld(service: TestApp): Promise<World> {
  const people: Guest[] = []
  const accounts: World['accounts'] = new Map()
  for (let n = 0; n < 60; n += 1) {
    const wallets = Array.from({ length: n % 4 }, (_, more) => ({
      address: walletOf(n, more),
      kind: 'embedded' as const,
    }))
    for (const [more, { address }] of wallets.entries()) accounts.set(address, accountOf(n, more))
    const person = await service.signIn(`person ${n}`, wallets)
    people.push({
      ...person,
      identityTokens: await identityTokens(service, n, wallets),
      unsubscribeToken: createUnsubscribeToken(service.ctx.secrets.unsubscribeKey, {
        accountId: person.accountId,
        category: 'review_needed',
        at: service.ctx.clock.now(),
      }),
    })
  }
  const { identity } = service
  const issue = async (realm: 'consumer' | 'admin', subject: string, expiresIn?: number) =>
    identity.issue({ realm, subject, ...(expiresIn === undefined ? {} : { expiresIn }) })
  const disabled = await service.signIn('disabled')
  const off = { accountId: disabled.accountId, event: 'disable' as const }
  await setAccountStatus(service.ctx, off)
  const expired = await issue('consumer', 'person 1', -60)
  const newcomer = await issue('consumer', 'never had a session')
  const notOperator = await issue('admin', 'no operator')
  const [head = '', claims = '', signature = ''] = newcomer.accessToken.split('.')
  // Each may request five exports.
  const operators = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      const subject = `operator ${n}`
      return { realm: 'admin' as const, subject, token: await service.operatorToken(subject) }
    }),
  )
  const holders = people.map((person) => ({ realm: 'consumer' as const, ...person }))
  return {
    people,
    operators: operators.map(({ token }) => token),
    keeping: makeKeeping([...holders, ...operators]),
    badTokens: [
      expired.accessToken,
      disabled.token,
      newcomer.accessToken,
      newcomer.identityToken,
      notOperator.accessToken,
      `${head}.${claims}.${[...signature].reverse().join('')}`,
      `${head}.${claims}.`,
      'x',
      'a.b.c',
    ],
    tenants: [],
    made: 0,
    cursors: [],
    linking: noLinks(),
    accounts,
  }
}

/** Reads new resources from a 2xx answer. */
export function remember(
  world: World,
  {
    operationId,
    tenant,
    caller,
    expenseId,
  }: { operationId: string; tenant?: Tenant; caller?: Guest; expenseId?: string },
  { body }: Pick<Answer, 'body'>,
): void {
  // A 204 has no body, and a vault may have no funding control.
  if (body === undefined || body === null) return
  if (typeof body.nextCursor === 'string') keep(world.cursors, body.nextCursor)
  if (operationId === 'createOrganization' && caller) {
    world.made += 1
    // Most are left unchanged, so that the others live long enough for much to happen.
    if (world.made <= TENANTS || world.made % NEXT === 0) {
      const nth = world.made <= TENANTS ? world.made : world.made / NEXT
      keep(world.tenants, makeTenant(body.id, caller, nth % 2 === 0))
      world.tenants.length = Math.min(world.tenants.length, TENANTS)
    }
  }
  if (!tenant || !body) return
  if (operationId === 'listMembers') rememberMembers(tenant, body.members)
  if (operationId === 'createInvitation') {
    keep(tenant.invitationIds, body.id)
    keep(tenant.inviteTokens, body.inviteToken)
  }
  if (operationId === 'acceptInvitation' && caller) keep(tenant.members, caller)
  if (operationId === 'addRecipient') keep(tenant.recipientIds, body.id)
  if (operationId === 'assignWalletRole') {
    keep(tenant.walletRoleIds, body.id)
    rememberApprover(world, tenant, body)
  }
  if (operationId === 'prepareApproval' && caller && expenseId) {
    meetApproval(tenant, { caller, expenseId }, body)
  }
  const isPayment = operationId === 'submitSignature' || operationId === 'queuePayment'
  if (isPayment && !tenant.paymentIds.includes(body.id)) keep(tenant.paymentIds, body.id)
  if (operationId === 'uploadAttachment') keep(tenant.attachmentIds, body.id)
  if (operationId === 'openSupportCase') keep(tenant.caseIds, body.id)
  if (operationId === 'createWebhook') keep(tenant.webhookIds, body.id)
  if (operationId === 'prepareVaultDeployment') keep(tenant.deploymentIds, body.id)
  if (operationId === 'preparePolicy') {
    keep(tenant.policyIntents, { vaultId: body.vaultId, intentId: body.id })
  }
  if (operationId === 'prepareLedgerProof') keep(tenant.proofIds, body.id)
  if (operationId === 'submitExpense') keep(tenant.runIds, body.taskId)
  if (operationId === 'listExpenses') for (const item of body.expenses) meetExpense(tenant, item)
  if (isExpense(body)) meetExpense(tenant, body)
}

function rememberApprover(
  { people }: World,
  tenant: Tenant,
  { role, walletId }: { role: string; walletId: string },
): void {
  const holder = people.find(({ walletIds }) => walletIds.includes(walletId))
  if (role === 'approver' && holder) keep(tenant.approvers, holder)
}

type Expense = {
  id: string
  currentRevision: number
  currentReportId: string | null
  state: string
  submitterAccountId: string
}

const isExpense = (body: object): body is Expense => 'paymentId' in body && 'revision' in body

/** As last seen. */
function meetExpense(tenant: Tenant, expense: Expense): void {
  const { id, currentRevision: version, currentReportId, state, submitterAccountId } = expense
  const known = { id, version, state, submitter: submitterAccountId }
  const at = tenant.expenses.findIndex((other) => other.id === id)
  if (at >= 0) tenant.expenses[at] = known
  else keep(tenant.expenses, known)
  if (currentReportId !== null && !tenant.reportIds.includes(currentReportId)) {
    keep(tenant.reportIds, currentReportId)
  }
}

type Member = { membershipId: string; wallets: { id: string }[] }

function rememberMembers(tenant: Tenant, members: Member[]): void {
  tenant.membershipIds = members.map(({ membershipId }) => membershipId)
  tenant.wallets = members.flatMap(({ membershipId, wallets }) =>
    wallets.map(({ id: walletId }) => ({ membershipId, walletId })),
  )
}
