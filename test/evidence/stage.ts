/** One chain for a file of forgeries: a vault that has paid twice, and a node that can lie. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import type { TestWallet } from '#test/support/chain.ts'
import { paid } from '#test/support/evidence.ts'
import { openPayer, openVault, type Payer, type PayingVault } from '#test/support/paying-vaults.ts'
import { copyOf } from './changed-field.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

/** The period of the stage's policy; its caps are far above what the tests pay. */
export const PERIOD = { periodSeconds: 86_400, periodCap: 50_000n, automaticPeriodCap: 20_000n }

export type Stage = {
  payer: Payer
  proxy: RpcProxy
  vault: PayingVault
  honest: Evidence
  automatic: Evidence
  stranger: TestWallet
}

/** Set before the first test of the file. */
export function useStage(): Stage {
  const stage = {} as Stage
  beforeAll(async () => {
    const payer = await openPayer()
    const vault = await openVault(payer, { policy: PERIOD })
    Object.assign(stage, {
      payer,
      vault,
      proxy: await startRpcProxy(payer.chain.rpcUrl),
      honest: await paid(payer, vault),
      automatic: await paid(payer, vault, { mode: 'automatic', amount: 300n }),
      stranger: await payer.chain.wallet(),
    })
  })
  afterEach(() => stage.proxy.heal())
  afterAll(async () => {
    await stage.proxy.stop()
    await stage.payer.chain.stop()
  })
  return stage
}

export const changed = (from: Evidence, change: (evidence: Evidence) => void): Evidence => {
  const copy = copyOf(from)
  change(copy)
  return copy
}

export const placeOf = ({ event }: Evidence) => ({
  transactionHash: event?.transactionHash as Hex,
  blockNumber: BigInt(event?.blockNumber ?? 0),
  blockHash: event?.blockHash as Hex,
})
