/** Bodies that mostly reference existing resources; the rest is random. */
import type { Random } from '#test/fuzz/random.ts'
import { newest } from '#test/fuzz/random.ts'
import type { Request } from '#test/fuzz/requests.ts'
import type { KnownExpense, Tenant } from '#test/fuzz/world.ts'

const CAPS = ['reserveFloor', 'automaticCap', 'approvedCap', 'lifetimeCap'] as const

/** Mostly consistent caps; impossible policies occur at random. */
export function settleTerms(random: Random, body: Record<string, unknown>): void {
  if (random.chance(0.1)) return
  let cap = 0
  for (const name of CAPS) {
    cap += random.integer(0, 1_000_000)
    body[name] = String(cap)
  }
}

/** An existing vault and recipient, and the version at which the expense was last seen. */
export function settleExpense(
  random: Random,
  body: Record<string, unknown>,
  { tenant, expense }: { tenant: Tenant | undefined; expense: KnownExpense | undefined },
): void {
  if (random.chance(0.1)) return
  const known = {
    vaultId: newest(random, tenant?.vaultIds),
    recipientId: newest(random, tenant?.recipientIds),
    expectedVersion: expense?.version,
  }
  for (const [name, value] of Object.entries(known)) {
    if (name in body && value !== undefined) body[name] = value
  }
  // Most tenants have no categories, and an attachment fits few expenses.
  delete body.category
  if (random.chance(0.8)) delete body.attachmentIds
  else if ('attachmentIds' in body) body.attachmentIds = (tenant?.attachmentIds ?? []).slice(0, 1)
}

/** A small file of a type that is accepted, mostly with the bytes of that type. */
export function settleUpload(random: Random, request: Request): void {
  if (request.operation.operationId !== 'uploadAttachment') return
  const text = `${random.integer(1, 1_000)},${random.integer(1, 1_000)}`
  const type = random.pick(['application/pdf', 'text/csv', 'image/png'])
  request.raw = Buffer.from(type === 'application/pdf' ? `%PDF-1.7 ${text}` : text)
  request.headers['content-type'] = type
  request.headers['content-disposition'] = `attachment; filename="${text}"`
}

/** Mostly rows of the chain that is served here. */
export function settleImport(random: Random, body: Record<string, unknown>): void {
  const rows = body.recipients as Record<string, unknown>[]
  if (random.chance(0.8)) for (const row of rows) row.chainId = 31_337
}

/** A deployment needs no existing resource; optional fields are random. */
export function settleProof(random: Random, body: Record<string, unknown>): void {
  if (random.chance(0.3)) return
  body.kind = 'deployment'
  for (const name of ['vault', 'executor', 'recipient', 'paymentIntentId']) delete body[name]
}

const KINDS = ['expense.changed', 'payment.changed', 'integration.changed', 'stream.reset']

/** Mostly a local URL and an existing kind. */
export function settleWebhook(random: Random, body: Record<string, unknown>): void {
  if (random.chance(0.1)) return
  body.url = random.pick(['http://127.0.0.1:9/hooks', 'https://[::1]/hooks', 'https://10.0.0.1/'])
  body.kinds = random.chance(0.8) ? KINDS.slice(0, random.integer(1, 3)) : [random.pick(KINDS)]
}

/** Mostly without a reference, or about an existing expense or payment. */
export function settleCase(random: Random, body: Record<string, unknown>, tenant?: Tenant): void {
  if (random.chance(0.1)) return
  const about = random.pick(['expenseId', 'paymentId', 'nothing'])
  const known = {
    expenseId: newest(random, tenant?.expenses)?.id,
    paymentId: newest(random, tenant?.paymentIds),
  }
  for (const [name, value] of Object.entries(known)) {
    if (name === about && value !== undefined) body[name] = value
    else delete body[name]
  }
}
