/** The application, its worker and a chain, with executors that are Circle's wallets. */
import type { Context } from '#context.ts'
import type { Environment } from '#platform/config.ts'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import type { AccountType } from '#test/support/circle-chain.ts'
import { type CircleEmulator, startCircleEmulator } from '#test/support/circle-emulator.ts'
import type { Treasury } from '#test/support/treasury.ts'
import { startWorker } from '#worker.ts'

export type CircleTreasury = Treasury & { circle: CircleEmulator }

export async function startCircleTreasury({
  accountType = 'EOA',
  env = {},
  replace = {},
}: {
  accountType?: AccountType
  env?: Environment
  replace?: Partial<Context>
} = {}): Promise<CircleTreasury> {
  const chain = await startTestChain()
  const circle = await startCircleEmulator({ chain, accountType })
  const service = await startTestApp({ env: { ...chain.env, ...circle.env, ...env }, replace })
  const worker = await startWorker(service.ctx)
  return {
    ...{ service, chain, circle },
    async stop() {
      await worker.stop()
      await service.stop()
      await circle.stop()
      await chain.stop()
    },
  }
}
