import {
  ContractFunctionRevertedError,
  createPublicClient,
  custom,
  getAddress,
  parseEther,
  type TransactionReceipt,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { probeAbi, probeCode } from '#test/dev/fixtures/chain-probe.ts'
import {
  cleanUp,
  clientsOf,
  fundedAccount,
  headOf,
  makeFolder,
  mineUntilFilled,
  movableClock,
  sendRaw,
  signTransfer,
  sink,
  start,
} from '#test/dev/fixtures/chain-steps.ts'

afterEach(cleanUp)

const refusalOf = (error: { walk(find: (e: unknown) => boolean): unknown }) =>
  (error.walk((e) => e instanceof ContractFunctionRevertedError) as ContractFunctionRevertedError)
    ?.data

async function startWithProbe() {
  const chain = await start()
  const account = await fundedAccount(chain)
  const { reader, writer } = clientsOf(chain)
  const hash = await writer(account).deployContract({ abi: probeAbi, bytecode: probeCode })
  const receipt: TransactionReceipt = await reader.waitForTransactionReceipt({ hash })
  const address = getAddress(receipt.contractAddress ?? '')
  return { chain, account, reader, wallet: writer(account), probe: { address, abi: probeAbi } }
}

describe('unmodified viem over HTTP', () => {
  test('deploys, sends and reads', async () => {
    const { reader, wallet, account, probe } = await startWithProbe()
    expect(await reader.getChainId()).toBe(31_337)
    expect(await reader.getCode({ address: probe.address })).toMatch(/^0x6080/)

    const call = { ...probe, functionName: 'bump', args: [3n] } as const
    const hash = await wallet.writeContract(call)
    const receipt = await reader.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    expect(await reader.readContract({ ...probe, functionName: 'count' })).toBe(3n)
    expect(await reader.getTransaction({ hash })).toMatchObject({ nonce: 1, type: 'eip1559' })
    const logs = await reader.getContractEvents({ ...probe, eventName: 'Bumped', fromBlock: 0n })
    expect(logs.map(({ args }) => args)).toEqual([{ by: account.address, count: 3n }])
    expect(await reader.getTransactionCount({ ...account, blockTag: 'pending' })).toBe(2)
  })

  test("simulates and decodes a contract's error", async () => {
    const { reader, account, probe } = await startWithProbe()
    const call = { ...probe, account, functionName: 'bump' } as const
    expect((await reader.simulateContract({ ...call, args: [10n] })).result).toBeUndefined()
    const refusal = await reader.simulateContract({ ...call, args: [11n] }).catch(refusalOf)
    expect(refusal).toMatchObject({ errorName: 'TooMuch', args: [11n, 10n] })
    const estimate = reader.estimateContractGas({ ...call, args: [12n] }).catch(refusalOf)
    expect(await estimate).toMatchObject({ errorName: 'TooMuch', args: [12n, 10n] })
    const words = reader.readContract({ ...probe, functionName: 'refuse' }).catch(refusalOf)
    expect(await words).toMatchObject({ errorName: 'Error', args: ['not today'] })
  })

  test('finds fees, and blocks by all their tags', async () => {
    const { chain, reader } = await startWithProbe()
    const { number, hash } = await headOf(chain)
    expect(await reader.getGasPrice()).toBeGreaterThan(0n)
    expect(await reader.estimateMaxPriorityFeePerGas()).toBe(1_000_000_000n)
    const fees = await reader.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })
    expect(fees.baseFeePerGas).toHaveLength(3)
    for (const blockTag of ['latest', 'safe', 'finalized'] as const) {
      expect(await reader.getBlock({ blockTag })).toMatchObject({ number: BigInt(number), hash })
    }
    expect((await reader.getBlock({ blockTag: 'pending' })).parentHash).toBe(hash)
  })

  test('batches its calls in one request, and works in process without any', async () => {
    const chain = await start()
    await chain.fund({ address: sink, wei: 7n })
    const { reader } = clientsOf(chain, { batch: true })
    const [id, balance, block] = await Promise.all([
      reader.getChainId(),
      reader.getBalance({ address: sink }),
      reader.getBlockNumber(),
    ])
    expect([id, balance, block]).toEqual([31_337, 7n, 1n])
    const inside = createPublicClient({ transport: custom(chain) })
    expect(await inside.getBalance({ address: sink })).toBe(7n)
  })
})

describe('mining', () => {
  test('accepts 16 in flight that were sent out of order', async () => {
    const chain = await start()
    const account = await fundedAccount(chain)
    const before = (await headOf(chain)).number
    const order = [15, 3, 8, 0, 11, 1, 14, 2, 9, 4, 13, 5, 12, 6, 10, 7]
    const raws = await Promise.all(order.map((nonce) => signTransfer(account, { nonce })))
    const hashes = await Promise.all(raws.map((raw) => sendRaw(chain, raw)))
    const { reader } = clientsOf(chain)
    const receipts = await Promise.all(
      hashes.map((hash) => reader.waitForTransactionReceipt({ hash })),
    )
    expect(receipts.every(({ status }) => status === 'success')).toBe(true)
    expect(await reader.getBalance({ address: sink })).toBe(16n)
    expect((await headOf(chain)).number - before).toBeLessThan(16)
  })

  test('leaves transactions that cannot be mined yet, without a block for them', async () => {
    const chain = await start({ mineAfterMs: 1 })
    const account = await fundedAccount(chain)
    const { number } = await headOf(chain)
    const gap = await sendRaw(chain, await signTransfer(account, { nonce: 1 }))
    await sendRaw(chain, await signTransfer(account, { nonce: 2, gwei: '0.000000001' }))
    const { reader } = clientsOf(chain)
    expect((await reader.getTransaction({ hash: gap })).blockNumber).toBeNull()
    expect(await reader.getTransactionCount({ ...account, blockTag: 'pending' })).toBe(0)
    await chain.fund({ address: sink, wei: 1n })
    expect(await headOf(chain)).toMatchObject({ number: number + 1, transactions: [{}] })
    const first = await sendRaw(chain, await signTransfer(account, { nonce: 0 }))
    await reader.waitForTransactionReceipt({ hash: first })
    expect(await headOf(chain)).toMatchObject({ number: number + 2, transactions: [first, gap] })
  })

  test('follows the clock by at least a second per block, never far ahead', async () => {
    const clock = movableClock()
    const chain = await start({ clock, mineAfterMs: 1 })
    const times: number[] = []
    const step = async () => {
      await chain.fund({ address: sink, wei: 1n })
      times.push((await headOf(chain)).timestamp - began)
    }
    const began = clock.seconds()
    for (let n = 0; n < 18; n++) await step()
    expect(times.slice(0, 15)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    expect(times.slice(15)).toEqual([15, 15, 15])
    clock.advance(3600)
    await step()
    await step()
    expect(times.slice(-2)).toEqual([3600, 3601])
  })

  test('never goes ahead of the clock if told so, except in place of other blocks', async () => {
    const clock = movableClock()
    const heads: number[] = []
    const onHead = () => heads.push(clock.seconds())
    const options = { clock, mineAfterMs: 1, aheadLimitSeconds: 0, allowTestMethods: true, onHead }
    const chain = await start(options)
    const began = clock.seconds()
    const mine = async () => {
      await chain.request({ method: 'evm_mine' })
      return (await headOf(chain)).timestamp - began
    }
    const snapshot = await chain.request({ method: 'evm_snapshot' })
    expect([await mine(), await mine()]).toEqual([0, 0])
    await chain.request({ method: 'evm_revert', params: [snapshot] })
    expect([await mine(), await mine(), await mine()]).toEqual([1, 2, 2])
    expect(heads).toHaveLength(6)
  })

  test('pauses when idle, while calls use the present time', async () => {
    const clock = movableClock()
    const chain = await start({ clock })
    const address = await chain.deployOnce({ name: 'Probe', data: probeCode })
    const { reader } = clientsOf(chain)
    const { number, timestamp } = await headOf(chain)
    clock.advance(7200)
    const time = await reader.readContract({ address, abi: probeAbi, functionName: 'time' })
    expect(Number(time)).toBe(clock.seconds())
    expect(await headOf(chain)).toMatchObject({ number, timestamp })
    const then = {
      address,
      abi: probeAbi,
      functionName: 'time',
      blockNumber: BigInt(number),
    } as const
    expect(Number(await reader.readContract(then))).toBe(timestamp)
  })
})

describe('the pool', () => {
  test('refuses with the error texts that clients know', async () => {
    const chain = await start({ mineAfterMs: Number.POSITIVE_INFINITY, allowTestMethods: true })
    const mine = () => chain.request({ method: 'evm_mine' })
    const funding = fundedAccount(chain)
    await mineUntilFilled(chain)
    const account = await funding
    const raw = await signTransfer(account, { nonce: 0 })
    await sendRaw(chain, raw)
    const again = (o: Parameters<typeof signTransfer>[1]) =>
      signTransfer(account, o).then((signed) => sendRaw(chain, signed))
    await expect(sendRaw(chain, raw)).rejects.toThrow(/^already known/)
    await expect(again({ nonce: 0, value: 2n })).rejects.toThrow(/^replacement transaction under/)
    await expect(again({ nonce: 1, value: parseEther('2') })).rejects.toThrow(/^insufficient funds/)
    await mine()
    await expect(sendRaw(chain, raw)).rejects.toThrow(/^nonce too low/)
    await expect(sendRaw(chain, '0x1234')).rejects.toMatchObject({ code: -32_602 })
  })

  test('refuses what its sender cannot pay for beside the pending transactions', async () => {
    const folder = await makeFolder()
    const chain = await start({ folder })
    const account = await fundedAccount(chain)
    const dear = { value: parseEther('0.9') }
    const replaced = await signTransfer(account, { nonce: 0, gwei: '2' })
    const [first, second, third] = await Promise.all([
      signTransfer(account, { nonce: 1, ...dear }),
      signTransfer(account, { nonce: 2, ...dear }),
      signTransfer(account, { nonce: 0, ...dear, gwei: '3' }),
    ])
    const answers = await Promise.allSettled(
      [replaced, first, second, third].map((raw) => sendRaw(chain, raw)),
    )
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(answers[3]).toMatchObject({ reason: { message: /^insufficient funds/ } })
    const { reader } = clientsOf(chain)
    const { value: hash } = answers[1] as PromiseFulfilledResult<`0x${string}`>
    expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    const { hash: head } = await headOf(chain)
    await chain.stop()
    expect((await headOf(await start({ folder }))).hash).toBe(head)
  })
})

describe('the faucet', () => {
  test('has all the money, under a key of its own', async () => {
    const chain = await start()
    const { reader } = clientsOf(chain)
    const words = 'test test test test test test test test test test test junk'
    for (let addressIndex = 0; addressIndex < 3; addressIndex++) {
      const { address } = mnemonicToAccount(words, { addressIndex })
      expect(await reader.getBalance({ address })).toBe(0n)
    }
    expect(chain.faucet).not.toBe((await start()).faucet)
  })

  test('serves many concurrent requests and reports what would revert', async () => {
    const chain = await start()
    const probe = { name: 'Probe', data: probeCode }
    const [address, same] = await Promise.all([chain.deployOnce(probe), chain.deployOnce(probe)])
    expect(same).toBe(address)
    const hashes = await Promise.all(
      Array.from({ length: 20 }, () => chain.fund({ address, wei: 5n })),
    )
    expect(new Set(hashes).size).toBe(20)
    const { reader } = clientsOf(chain)
    expect(await reader.getBalance({ address })).toBe(100n)
    await expect(chain.send({ to: address, data: '0x62c69b80' })).rejects.toMatchObject({
      code: 3,
      message: 'execution reverted: not today',
    })
  })
})
