/** The export procedure as a client follows it, and what can go wrong. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import { hashMessage, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import type { TokenRequest } from '#dev/identity.ts'
import type { Answer, TestApp } from '#test/support/app.ts'
import { importRecipient, openBox } from '#test/support/hpke.ts'
import { controlsSolanaAddress } from '#test/support/solana.ts'

export type Realm = 'consumer' | 'admin'

/** Somebody in a realm, with the subject of their identity provider. */
export type Holder = { realm: Realm; token: string; subject: string }

export async function makeHolder(service: TestApp, realm: Realm = 'consumer'): Promise<Holder> {
  const subject = `holder-${randomUUID()}`
  const token =
    realm === 'admin' ? await service.operatorToken(subject) : (await service.signIn(subject)).token
  return { realm, token, subject }
}

export type ServerWallet = {
  id: string
  address: string
  nativeAddress?: string
  chainType: 'ethereum' | 'solana'
}

type Body = Record<string, unknown>

export const postWallet = (
  { call }: Pick<TestApp, 'call'>,
  { realm, token }: Holder,
  body: Body = {},
): Promise<Answer> =>
  call('POST', `/v1/${realm}/wallets/`, {
    token,
    body: { purpose: 'Paying suppliers', idempotencyKey: randomUUID(), ...body },
  })

export const listWallets = async (
  { call }: Pick<TestApp, 'call'>,
  { realm, token }: Holder,
): Promise<Body[]> => (await call('GET', `/v1/${realm}/wallets/`, { token })).body.wallets

export async function makeServerWallet(
  service: Pick<TestApp, 'call'>,
  holder: Holder,
  body: Body = {},
): Promise<ServerWallet> {
  const answer = await postWallet(service, holder, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

export type RecipientKeys = { publicKey: string; rawPoint: string; privateKey: KeyObject }

export function makeRecipientKeys(): RecipientKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return {
    publicKey: spki.toString('base64'),
    rawPoint: spki.subarray(-65).toString('base64'),
    privateKey,
  }
}

export const requestExport = (
  { call }: Pick<TestApp, 'call'>,
  { realm, token }: Holder,
  { walletId, recipientPublicKey, ...more }: Body & { walletId: string },
): Promise<Answer> =>
  call('POST', `/v1/${realm}/wallets/${walletId}/export-requests`, {
    token,
    body: { recipientPublicKey, ...more },
  })

export const signPayload = (payload: unknown, key: KeyObject): string =>
  sign('sha256', Buffer.from(canonicalize(payload) ?? ''), key).toString('base64')

export async function assertionOf(
  { identity }: Pick<TestApp, 'identity'>,
  { realm, subject }: Holder,
  mfa: NonNullable<TokenRequest['mfa']>,
): Promise<string> {
  return (await identity.issue({ realm, subject, mfa })).mfaAssertion ?? ''
}

export type Proof = {
  recipientPublicKey: string
  authorizationSignature: string
  mfaAssertion: string
}

export type Ceremony = {
  holder: Holder
  wallet: ServerWallet
  keys: RecipientKeys
  requestId: string
  payload: Body
  proof: Proof
  /** Completes it with the given fields replaced. */
  complete(changed?: Partial<Proof>, by?: Partial<Holder & { walletId: string }>): Promise<Answer>
  cancel(by?: Partial<Holder & { walletId: string }>): Promise<Answer>
}

/** A request that is proven but not completed. */
export async function beginExport(
  service: TestApp,
  holder: Holder,
  wallet: ServerWallet,
  keys: RecipientKeys = makeRecipientKeys(),
): Promise<Ceremony> {
  const asked = await requestExport(service, holder, {
    walletId: wallet.id,
    recipientPublicKey: keys.publicKey,
  })
  expect(asked.status, asked.text).toBe(201)
  const { requestId, authorizationPayload: payload } = asked.body
  const proof = {
    recipientPublicKey: keys.publicKey,
    authorizationSignature: signPayload(payload, keys.privateKey),
    mfaAssertion: await assertionOf(service, holder, { nonce: requestId }),
  }
  const step = (name: string, by: Partial<Holder & { walletId: string }>, body?: object) => {
    const { realm, token, walletId = wallet.id } = { ...holder, ...by }
    const url = `/v1/${realm}/wallets/${walletId}/export-requests/${requestId}/${name}`
    return service.call('POST', url, { token, ...(body && { body }) })
  }
  return {
    ...{ holder, wallet, keys, requestId, payload, proof },
    complete: (changed = {}, by = {}) => step('complete', by, { ...proof, ...changed }),
    cancel: (by = {}) => step('cancel', by),
  }
}

/** The key in the answer, decrypted with the recipient's key by an independent implementation. */
export async function openExport(
  { privateKey }: RecipientKeys,
  { encapsulatedKey, ciphertext }: { encapsulatedKey: string; ciphertext: string },
): Promise<string> {
  const recipient = await importRecipient(privateKey.export({ format: 'jwk' }))
  return openBox(recipient, {
    encapsulated: new Uint8Array(Buffer.from(encapsulatedKey, 'base64')),
    ciphertext: new Uint8Array(Buffer.from(ciphertext, 'base64')),
  })
}

/** Whether the exported key signs for the wallet's address. */
export async function controls(key: string, wallet: ServerWallet): Promise<boolean> {
  if (wallet.chainType === 'solana') return controlsSolanaAddress(key, wallet.nativeAddress ?? '')
  if (!/^0x[0-9a-f]{64}$/.test(key)) return false
  const message = randomUUID()
  const signature = await privateKeyToAccount(key as `0x${string}`).signMessage({ message })
  return (await recoverAddress({ hash: hashMessage(message), signature })) === wallet.address
}

/** The same P-256 key in PEM. */
export const pemOf = ({ privateKey }: RecipientKeys): string =>
  createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }).toString()

/** Somebody with a wallet who has requested its key. */
export async function begunExport(service: TestApp, realm: Realm = 'consumer'): Promise<Ceremony> {
  const holder = await makeHolder(service, realm)
  return beginExport(service, holder, await makeServerWallet(service, holder))
}

export async function exportState(
  { database }: Pick<TestApp, 'database'>,
  { requestId }: Pick<Ceremony, 'requestId'>,
): Promise<unknown> {
  const rows = await database.asOwner('select state from wallet_exports where id = $1', [requestId])
  return rows[0]?.state
}
