/** Steps of people who link wallets by a signature. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Answer, Person, TestApp } from './app.ts'

export const newKey = () => privateKeyToAccount(generatePrivateKey())

type Service = Pick<TestApp, 'call'>

export const challenge = (
  { call }: Service,
  { token }: Person,
  body: { address: string; chainType?: string },
): Promise<Answer> => call('POST', '/v1/consumer/wallets/link-challenges', { token, body })

export const link = (
  { call }: Service,
  { token }: Person,
  body: { challengeId: string; signature: string },
): Promise<Answer> => call('POST', '/v1/consumer/wallets/links', { token, body })

export async function linkKey(service: Service, person: Person, key = newKey()): Promise<Answer> {
  const { body } = await challenge(service, person, { address: key.address })
  const signature = await key.signMessage({ message: body.message })
  return link(service, person, { challengeId: body.challengeId, signature })
}

export const walletsOf = async ({ call }: Service, { token }: Person) =>
  (await call('GET', '/v1/consumer/me', { token })).body.wallets

export const walletAudit = (
  { database }: Pick<TestApp, 'database'>,
  { action, walletId }: { action: string; walletId: string },
) =>
  database.asOwner<{ data: Record<string, unknown>; actor_account_id: string }>(
    'select data, actor_account_id from audit_events where action = $1 and aggregate_id = $2',
    [action, walletId],
  )
