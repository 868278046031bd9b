/** Generates one valid request after another. */
import {
  settleCase,
  settleExpense,
  settleImport,
  settleProof,
  settleTerms,
  settleUpload,
  settleWebhook,
} from '#test/fuzz/bodies.ts'
import { settleWallets } from '#test/fuzz/exporting.ts'
import { actionIdOf, settleFunding } from '#test/fuzz/funding.ts'
import { settleLinks } from '#test/fuzz/linking.ts'
import { type Operation, operations, type Parameter } from '#test/fuzz/operations.ts'
import { type KnownApproval, payees } from '#test/fuzz/paying.ts'
import { newest, type Random } from '#test/fuzz/random.ts'
import { settleDevice, settlePreferences } from '#test/fuzz/telling.ts'
import { fitting, uuid } from '#test/fuzz/values.ts'
import type { Guest, KnownExpense, Tenant, World } from '#test/fuzz/world.ts'

export type Request = {
  operation: Operation
  method: string
  params: Record<string, string>
  /** Replaces the operation's own path. */
  path?: string
  query: string[]
  headers: Record<string, string>
  token: string | undefined
  body: unknown
  /** Sent instead of the body. */
  raw?: string | Buffer
  caller: Guest
  tenant: Tenant | undefined
}

export const urlOf = ({ operation, path, params, query }: Request): string => {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  return (path ?? filled) + (query.length > 0 ? `?${query.join('&')}` : '')
}

function paramOf(random: Random, name: string, tenant: Tenant | undefined): string {
  const known: Record<string, readonly string[] | undefined> = {
    organizationId: tenant && [tenant.id],
    membershipId: tenant && [...tenant.membershipIds, ...tenant.pendingMembershipIds],
    walletRoleId: tenant?.walletRoleIds,
    invitationId: tenant?.invitationIds,
    recipientId: tenant?.recipientIds,
    vaultId: tenant?.vaultIds,
    intentId: tenant?.deploymentIds,
    reportId: tenant?.reportIds,
    paymentId: tenant?.paymentIds,
    unrecordedPaymentId: tenant?.unrecordedPaymentIds,
    caseId: tenant?.caseIds,
    attachmentId: tenant?.attachmentIds,
    webhookId: tenant?.webhookIds,
    approvalId: tenant?.approvals.map(({ approvalId }) => approvalId),
    token: tenant?.inviteTokens,
    unsubscribeToken: tenant?.members.map(({ unsubscribeToken }) => unsubscribeToken),
    revision: ['1'],
    id: tenant?.proofIds,
    eventId: tenant?.eventIds,
  }
  const actionId = name === 'actionId' ? actionIdOf(random, tenant) : undefined
  return actionId ?? newest(random, known[name]) ?? uuid(random)
}

/** The usual starting state of each expense step. */
const begins: Record<string, readonly string[]> = {
  submitExpense: ['draft', 'blocked'],
  reviseExpense: ['draft', 'revision_requested'],
  reviewExpense: ['needs_review', 'awaiting_approval'],
  cancelExpense: ['draft', 'needs_review', 'revision_requested'],
  prepareApproval: ['awaiting_approval'],
  queuePayment: ['approved_ready_for_payment', 'automatic_ready_for_payment'],
}

function expenseOf(
  random: Random,
  { operationId, path }: Operation,
  tenant: Tenant | undefined,
): KnownExpense | undefined {
  if (!path.includes('{expenseId}')) return undefined
  const states = random.chance(0.8) ? begins[operationId] : undefined
  const fitting = tenant?.expenses.filter(({ state }) => states?.includes(state))
  return newest(random, fitting) ?? newest(random, tenant?.expenses)
}

/** Ids that belong together come from one tenant. */
function paramsOf(
  random: Random,
  operation: Operation,
  { tenant, expense }: { tenant: Tenant | undefined; expense: KnownExpense | undefined },
) {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  const params = inPath.map(({ name }) => [name, paramOf(random, name, tenant)] as const)
  const pair =
    operation.operationId === 'confirmPolicy' ? newest(random, tenant?.policyIntents) : undefined
  return { ...Object.fromEntries(params), ...pair, ...(expense && { expenseId: expense.id }) }
}

type Scene = {
  caller: Guest
  tenant: Tenant | undefined
  expense: KnownExpense | undefined
  approval: KnownApproval | undefined
}

function bodyOf(random: Random, operation: Operation, scene: Scene): unknown {
  const { caller, tenant, expense, approval } = scene
  if (!operation.body) return undefined
  const body = fitting(random, operation.body) as Record<string, unknown>
  if (operation.operationId === 'openSession') {
    body.identityToken = random.pick(caller.identityTokens)
  }
  if (operation.operationId === 'openAdminSession') return {}
  if (operation.operationId === 'assignWalletRole') {
    Object.assign(body, newest(random, tenant?.wallets))
  }
  if (operation.operationId === 'preparePolicy') settleTerms(random, body)
  if (operation.operationId === 'addRecipient' && random.chance(0.8)) {
    body.address = random.pick(payees)
  }
  if (operation.operationId === 'importRecipients') settleImport(random, body)
  // An address that nobody has would make most tokens unusable; many owners, the first one idle.
  if (operation.operationId === 'createInvitation' && random.chance(0.9)) delete body.email
  if (operation.operationId === 'changeMemberRole' && random.chance(0.9)) {
    body.role = random.pick(['manager', 'employee'])
  }
  if (operation.path.includes('/expenses')) settleExpense(random, body, { tenant, expense })
  if (approval && random.chance(0.9)) {
    body.approvalId = approval.approvalId
    if ('signature' in body) body.signature = approval.signature
  }
  if (operation.operationId === 'prepareLedgerProof') settleProof(random, body)
  if (operation.operationId === 'openSupportCase') settleCase(random, body, tenant)
  if (operation.operationId === 'addSupportNote' && random.chance(0.4)) delete body.status
  if (operation.path.includes('/push/')) settleDevice(random, body)
  if (operation.operationId === 'setNotificationPreferences') settlePreferences(random, body)
  if (operation.operationId === 'createWebhook') settleWebhook(random, body)
  if (operation.operationId === 'reconcilePayment') body.expectedVersion = 1
  if ('chainId' in body && random.chance(0.8)) body.chainId = 31_337
  return body
}

const isSigning = ({ path }: Operation): boolean => path.includes('/approvals/')

/** Few tenants reach a signature: those that have are preferred. */
function hasMaterial({ operationId, path }: Operation, tenant: Tenant): boolean {
  const { approvers, approvals, expenses, paymentIds } = tenant
  if (path.includes('{paymentId}')) return paymentIds.length > 0
  if (path.includes('{attachmentId}')) return tenant.attachmentIds.length > 0
  if (path.includes('{caseId}')) return tenant.caseIds.length > 0
  if (path.includes('{webhookId}')) return tenant.webhookIds.length > 0
  if (/fund|provider-/.test(path)) return tenant.funding.books !== undefined
  if (path.includes('{eventId}')) return tenant.eventIds.length > 0
  if (operationId === 'submitSignature' || operationId === 'cancelSigning') {
    return approvals.length > 0
  }
  if (operationId === 'queuePayment') {
    return expenses.some(({ state }) => begins.queuePayment?.includes(state))
  }
  const isAwaited = expenses.some(({ state }) => state === 'awaiting_approval')
  return operationId !== 'prepareApproval' || (approvers.length > 0 && isAwaited)
}

/** A prepared and by now signed approval, for its approver to submit. */
function approvalOf(
  random: Random,
  { operationId }: Operation,
  tenant: Tenant | undefined,
): KnownApproval | undefined {
  const isOf = operationId === 'submitSignature' || operationId === 'cancelSigning'
  if (!isOf) return undefined
  return newest(
    random,
    tenant?.approvals.filter(({ signature }) => signature !== undefined),
  )
}

/** The usual caller: the owner reviews, approvers sign, the submitter does the rest. */
function likelyCaller(
  random: Random,
  operation: Operation,
  { tenant, expense, approval }: Omit<Scene, 'caller'>,
): Guest | undefined {
  const owner = tenant?.members.at(-1)
  const known = (accountId: string | undefined) =>
    [...(tenant?.approvers ?? []), ...(tenant?.members ?? [])].find(
      (guest) => guest.accountId === accountId,
    )
  if (approval) return known(approval.accountId)
  if (isSigning(operation)) return newest(random, tenant?.approvers)
  // The owner stays, or the tenant would be idle.
  if (operation.operationId === 'leaveOrganization') {
    return newest(random, tenant?.members.slice(0, -1)) ?? owner
  }
  const isManagers = ['reviewExpense', 'queuePayment'].includes(operation.operationId)
  return isManagers ? owner : (known(expense?.submitter) ?? owner)
}

/** Operations with more to get wrong, and signing, which few reach, come more often. */
const weights = operations.map((operation) => {
  const parts =
    operation.parameters.length + 3 * Object.keys(operation.body?.properties ?? {}).length
  return [(1 + parts) * (isSigning(operation) ? 3 : 1), operation] as const
})

/** An operator's search term: something existing, or anything. */
function queryValue(
  random: Random,
  { name, schema }: Parameter,
  { world, tenant }: { world: World; tenant: Tenant | undefined },
): string {
  if (name === 'limit') return String(random.integer(1, 200))
  if (name === 'cursor') return newest(random, world.cursors) ?? ''
  const known = [tenant?.id ?? '', newest(random, tenant?.paymentIds) ?? '', 'a', '%', '_']
  const isKnown = name === 'q' && random.chance(0.5)
  return encodeURIComponent(isKnown ? random.pick(known) : String(fitting(random, schema)))
}

/** A list is a parameter that is repeated. */
function queryParts(
  random: Random,
  { name, schema, ...parameter }: Parameter,
  known: { world: World; tenant: Tenant | undefined },
): string[] {
  if (schema.type !== 'array') {
    return [`${name}=${queryValue(random, { name, schema, ...parameter }, known)}`]
  }
  const values = fitting(random, schema) as unknown[]
  return values.map((value) => `${name}=${encodeURIComponent(String(value))}`)
}

/** What a caller would send who has read the contract and knows the existing resources. */
export function wellMeant(
  random: Random,
  world: World,
  operation: Operation = random.weighted(weights),
): Request {
  const ready = world.tenants.filter((each) => hasMaterial(operation, each))
  const tenant = (random.chance(0.8) && newest(random, ready)) || newest(random, world.tenants)
  // Somebody who accepts an invitation is not a member yet; other callers mostly are.
  const isMembers = /\{(organizationId|eventId)\}/.test(operation.path)
  const approval = approvalOf(random, operation, tenant)
  const signed = tenant?.expenses.find(({ id }) => id === approval?.expenseId)
  const expense = signed ?? expenseOf(random, operation, tenant)
  const likely = likelyCaller(random, operation, { tenant, expense, approval })
  const caller =
    (isMembers ? (random.chance(0.7) ? likely : newest(random, tenant?.members)) : undefined) ??
    random.pick(world.people)
  const token = operation.realm === 'admin' ? random.pick(world.operators) : caller.token
  const isKeyed = operation.parameters.some((parameter) => parameter.in === 'header')
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  const request: Request = {
    operation,
    method: operation.method,
    params: paramsOf(random, operation, { tenant, expense }),
    query: inQuery
      .filter(({ name }) => random.chance(0.3) && (name !== 'cursor' || world.cursors.length > 0))
      .flatMap((parameter) => queryParts(random, parameter, { world, tenant })),
    headers: isKeyed ? { 'idempotency-key': keyOf(random) } : {},
    token: operation.realm === 'public' ? undefined : token,
    body: bodyOf(random, operation, { caller, tenant, expense, approval }),
    caller,
    tenant,
  }
  settleUpload(random, request)
  const settled = settleLinks(random, world, settleWallets(random, world, request))
  return settleFunding(random, settled)
}

/** Sometimes a key that was used before. */
const keyOf = (random: Random): string =>
  random.chance(0.25) ? `key-${random.integer(1, 4)}` : uuid(random)
