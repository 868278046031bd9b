/** When a low gas balance of an executor is announced, also of one that drained before. */
import { describe, expect, test } from 'vitest'
import { GAS_LOW_WEI, watchExecutor } from '#executor/watch-executor.ts'
import { AppError } from '#platform/errors.ts'
import {
  apply,
  asOwner,
  bindNext,
  configured,
  first,
  openTwoExecutors,
  organizationId,
  rollBack,
  second,
  service,
  states,
} from './two-executors.ts'

openTwoExecutors()

describe('a low gas balance', () => {
  type Read = (address: string) => Promise<bigint>

  const watch = (nativeBalance: Read): Promise<void> => {
    const { ctx } = service
    const chain = { ...ctx.chain, nativeBalance }
    return watchExecutor({ ...ctx, chain }, { organizationId })
  }
  const firstHas =
    (wei: bigint): Read =>
    async (address) =>
      address === first ? wei : GAS_LOW_WEI
  const [enough, low] = [firstHas(GAS_LOW_WEI), firstHas(GAS_LOW_WEI - 1n)]

  /** Addresses whose balance was announced as low. */
  async function announced(): Promise<string[]> {
    const rows = await asOwner<{ address: string }>(
      `select b.address from live_events e join executor_bindings b on b.id::text = e.aggregate_id
       where e.organization_id = $1 and e.code = 'executor_gas_low' order by e.seq`,
    )
    return rows.map(({ address }) => address)
  }
  /** The first executor drains. */
  const replace = () => apply(20, configured(2, second))
  const giveBack = () => apply(21, configured(3, first))

  test('of an executor that drains is announced once it is active again', async () => {
    await watch(enough)
    await replace()
    await watch(low)
    expect(await announced()).toEqual([])
    await giveBack()
    for (const _pass of [1, 2, 3]) await watch(low)
    expect(await announced()).toEqual([first])
    // Again, because it was out of use.
    await apply(22, configured(4, second))
    await watch(low)
    await apply(23, configured(5, first))
    for (const _pass of [1, 2, 3]) await watch(low)
    expect(await announced()).toEqual([first, first])
  })

  test('of an executor that drains is announced once it is next again', async () => {
    const secondLow: Read = async (address) => (address === second ? 1n : GAS_LOW_WEI)
    await watch(enough)
    await replace()
    await giveBack()
    await watch(enough)
    await apply(22, configured(4, second))
    const third = await bindNext()
    await apply(23, configured(5, third))
    await watch(secondLow)
    expect(await announced()).toEqual([])
    await rollBack(20)
    await apply(21, configured(3, first))
    for (const _pass of [1, 2, 3]) await watch(secondLow)
    expect(await announced()).toEqual([second])
  })

  test('is announced when it can be read, if nodes were silent at first', async () => {
    await watch(enough)
    await replace()
    await watch(low)
    await giveBack()
    await watch(() => Promise.reject(new AppError('dependency_unavailable')))
    expect(await announced()).toEqual([])
    for (const _pass of [1, 2]) await watch(low)
    expect(await announced()).toEqual([first])
  })

  test('is not announced when an executor that drains is active again with gas', async () => {
    await watch(enough)
    await replace()
    await watch(low)
    await giveBack()
    for (const _pass of [1, 2]) await watch(enough)
    expect(await announced()).toEqual([])
  })

  test('is announced once when an executor that is in use changes its state', async () => {
    const secondLow: Read = async (address) => (address === second ? 1n : GAS_LOW_WEI)
    await watch(secondLow)
    await replace()
    for (const _pass of [1, 2]) await watch(secondLow)
    expect(await announced()).toEqual([second])
  })

  test('is announced once by two passes that read it at the same time', async () => {
    const { promise: bothRead, resolve } = Promise.withResolvers<void>()
    let reads = 0
    const together: Read = async (address) => {
      if (address === first) {
        reads += 1
        if (reads === 2) resolve()
        await bothRead
      }
      return low(address)
    }
    await watch(enough)
    await Promise.all([watch(together), watch(together)])
    expect(await announced()).toEqual([first])
  })

  test('is announced if the executor is active again while its balance is read', async () => {
    await watch(enough)
    await replace()
    await watch(low)
    let isGivenBack = false
    await watch(async (address) => {
      if (address === first && !isGivenBack) {
        isGivenBack = true
        await giveBack()
        await states()
      }
      return low(address)
    })
    await watch(low)
    expect(await announced()).toEqual([first])
  })
})
