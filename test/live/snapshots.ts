/** Reads snapshots, and retries while other transactions delay events. */
import { expect, vi } from 'vitest'
import type { Answer, Organization, Person, TestApp } from '#test/support/app.ts'

type Headers = Record<string, string>

export const readSnapshot = (
  { call }: Pick<TestApp, 'call'>,
  { path }: Organization,
  { token }: Pick<Person, 'token'>,
  headers: Headers = {},
): Promise<Answer> => call('GET', `${path}/live/snapshot`, { token, headers })

export const readAdminSnapshot = (
  { call }: Pick<TestApp, 'call'>,
  token: string,
  headers: Headers = {},
): Promise<Answer> => call('GET', '/v1/admin/live/snapshot', { token, headers })

/** Events become visible once no older transaction of the cluster is open, and tests share one. */
export async function untilSettled({ database }: Pick<TestApp, 'database'>): Promise<void> {
  await vi.waitFor(
    async () => {
      const held = await database.asOwner(
        `select 1 from live_events
         where transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`,
      )
      expect(held).toEqual([])
    },
    { timeout: 20_000, interval: 25 },
  )
}

/** Waits until everything that happened is visible. */
export async function readSettled(
  service: Pick<TestApp, 'call' | 'database'>,
  organization: Organization,
  person: Pick<Person, 'token'>,
): Promise<Answer> {
  await untilSettled(service)
  return readSnapshot(service, organization, person)
}
