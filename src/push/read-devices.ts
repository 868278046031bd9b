/** Lists the caller's devices. Endpoints stay secret: whoever knows one can send to it. */
import type { Context } from '#context.ts'
import { type DeviceRow, listOwnDevices } from './push.store.ts'

export type Device = Omit<DeviceRow, 'endpoint'> & { endpointHost: string }

export async function readDevices(
  ctx: Pick<Context, 'db' | 'clock'>,
  { accountId }: { accountId: string },
): Promise<Device[]> {
  const at = ctx.clock.now()
  const rows = await ctx.db.read({ accountId }, (reader) =>
    listOwnDevices(reader, { accountId, at }),
  )
  return rows.map(({ endpoint, ...row }) => ({
    ...row,
    endpointHost: URL.parse(endpoint)?.host ?? '',
  }))
}
