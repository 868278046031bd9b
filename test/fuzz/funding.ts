/** The funding signer in the fuzz test: a tenant with a control that can be attached and probed. */
import { newest, type Random } from '#test/fuzz/random.ts'
import type { Request } from '#test/fuzz/requests.ts'
import type { Tenant } from '#test/fuzz/world.ts'
import type { Answer, TestApp } from '#test/support/app.ts'
import { type FundingBooks, writeFunding } from '#test/support/funding-books.ts'

export type Funding = {
  /** The default vault's signer; undefined where nobody deposits. */
  books: (FundingBooks & { vaultId: string }) | undefined
  actionIds: string[]
}

const KEPT = 10

export const noFunding = (): Funding => ({ books: undefined, actionIds: [] })

export async function attachSigner(
  service: TestApp,
  { id: organizationId, funding, vaultIds }: Tenant,
  { membershipId, accountId }: { membershipId: string; accountId: string },
): Promise<void> {
  const [vaultId = ''] = vaultIds
  const member = { organizationId, membershipId, accountId }
  funding.books = { ...(await writeFunding(service, { ...member, vaultId })), vaultId }
  funding.actionIds.push(funding.books.actionId)
}

/** Reads funding from a 2xx answer. */
export function meetFunding({ funding }: Tenant, { operation }: Request, { body }: Answer): void {
  if (operation.operationId !== 'requestFundingAction') return
  if (!funding.actionIds.includes(body.id)) funding.actionIds.unshift(body.id)
  funding.actionIds.length = Math.min(funding.actionIds.length, KEPT)
}

/** Mostly the signer's ids and a probe, which needs no chain; the rest is random. */
export function settleFunding(random: Random, request: Request): Request {
  const { operation, tenant, params } = request
  const { books } = tenant?.funding ?? {}
  const body = request.body as Record<string, unknown> | undefined
  if (!books || random.chance(0.1)) return request
  if (operation.path.endsWith('/funding-control')) params.vaultId = books.vaultId
  if (operation.operationId === 'attachFundingControl' && body) {
    Object.assign(body, { signerId: books.signerId, providerPolicyId: books.policyId })
  }
  if (operation.operationId === 'requestFundingAction' && body) {
    if (random.chance(0.8)) body.action = 'withdraw_probe'
    if (random.chance(0.8)) delete body.approvalTransactionHash
  }
  return request
}

export const actionIdOf = (random: Random, tenant: Tenant | undefined): string | undefined =>
  newest(random, tenant?.funding.actionIds)
