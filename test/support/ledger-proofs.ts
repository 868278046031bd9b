/** Ledger signature proofs, as an operator handles them over HTTP. */
import { expect } from 'vitest'
import { createFingerprint, type Fingerprint } from '#test/security/dump.ts'
import { type House, house, randomAddress } from '#test/security/house.ts'
import type { Answer, TestApp } from './app.ts'

export const proofsOf = (organizationId: string): string =>
  `/v1/admin/organizations/${organizationId}/integration-proofs/ledger/signatures`

export type Operator = {
  prepare(body: unknown): Promise<Answer>
  read(id: string): Promise<Answer>
  claim(id: string): Promise<Answer>
  confirm(id: string, hash: string): Promise<Answer>
  /** Prepared and claimed; returns the intent to be signed. */
  // biome-ignore lint/suspicious/noExplicitAny: an intent has several shapes
  takeInHand(body: unknown): Promise<{ id: string; intentHash: string; intent: any }>
}

export async function operatorIn(service: TestApp, organizationId: string): Promise<Operator> {
  const token = await service.operatorToken()
  const path = proofsOf(organizationId)
  const operator: Operator = {
    prepare: (body) => service.call('POST', path, { token, body }),
    read: (id) => service.call('GET', `${path}/${id}`, { token }),
    claim: (id) => service.call('POST', `${path}/${id}/claim`, { token }),
    confirm: (id, hash) => service.call('POST', `${path}/${id}/confirm`, { token, body: { hash } }),
    async takeInHand(body) {
      const prepared = await operator.prepare(body)
      expect(prepared.status).toBe(201)
      const { id, intentHash, intentJson } = prepared.body
      expect((await operator.claim(id)).status).toBe(200)
      return { id, intentHash, intent: JSON.parse(intentJson) }
    },
  }
  return operator
}

export const evidenceOf = ({ body }: Answer) => JSON.parse(body.evidenceJson)

type Vault = { id: string; address: string; ownerAddress: string }

async function vaultOf(service: TestApp, { organization, defaultVaultId }: House): Promise<Vault> {
  const { path, owner } = organization
  const { body } = await service.call('GET', `${path}/vaults`, { token: owner.token })
  const found = body.vaults.find(({ id }: Vault) => id === defaultVaultId)
  const { id, address, ownerAddress } = found
  return { id, address: address.toLowerCase(), ownerAddress: ownerAddress.toLowerCase() }
}

export type ProofStage = {
  home: House
  other: House
  vault: Vault
  foreignVault: Vault
  operator: Operator
  fingerprint: () => Promise<Fingerprint>
}

/** Two organizations with data, and an operator who works in the first. There is no chain. */
export async function openStage(service: TestApp): Promise<ProofStage> {
  const [home, other] = [await house(service), await house(service)]
  return {
    home,
    other,
    vault: await vaultOf(service, home),
    foreignVault: await vaultOf(service, other),
    operator: await operatorIn(service, home.organization.id),
    fingerprint: await createFingerprint(service.database),
  }
}

/** A valid body of each kind. */
export const deploymentBody = () => ({
  kind: 'deployment',
  signer: randomAddress(),
  owner: randomAddress(),
})

export const fundingBody = ({ vault }: Pick<ProofStage, 'vault'>) => ({
  kind: 'funding',
  signer: vault.ownerAddress,
  owner: vault.ownerAddress,
  vault: vault.address,
})

export const configureBody = (stage: Pick<ProofStage, 'vault'>) => ({
  ...fundingBody(stage),
  kind: 'configure',
  executor: randomAddress(),
  recipient: randomAddress(),
})

export const approvalBody = ({ vault, home }: Pick<ProofStage, 'vault' | 'home'>) => ({
  kind: 'approval',
  signer: randomAddress(),
  owner: vault.ownerAddress,
  paymentIntentId: home.paymentId,
})
