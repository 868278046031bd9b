import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData, keccak256, parseEther } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import type { LocalChain } from '#dev/local-chain.ts'
import { StartupError } from '#platform/errors.ts'
import { probeAbi, probeCode } from '#test/dev/fixtures/chain-probe.ts'
import {
  atTheEnd,
  cleanUp,
  clientsOf,
  fundedAccount,
  headOf,
  makeFolder,
  mineUntilFilled,
  post,
  sendRaw,
  signTransfer,
  sink,
  start,
} from '#test/dev/fixtures/chain-steps.ts'
import { sizeOf } from '#test/support/figures.ts'

afterEach(cleanUp)

const ROOT = join(import.meta.dirname, '..', '..')
const journalOf = (folder: string) => join(folder, 'chain', 'journal.jsonl')
/** A thousand with `PROVE_BLOCKS=1000`. */
const BLOCKS = sizeOf('PROVE_BLOCKS', 250)
const manually = { mineAfterMs: Number.POSITIVE_INFINITY, allowTestMethods: true }

async function holdChain({ folder, mineAfterMs = 20 }: { folder: string; mineAfterMs?: number }) {
  const script = new URL('./fixtures/hold-chain.ts', import.meta.url)
  const child: ChildProcess = fork(script, [folder, `${mineAfterMs}`], {
    execArgv: ['--import', './require-node.mjs'],
    cwd: ROOT,
  })
  atTheEnd(async () => child.kill('SIGKILL'))
  const [{ rpcUrl }] = (await once(child, 'message')) as [{ rpcUrl: string }]
  return { child, rpcUrl }
}

async function killHard(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** A chain of a few blocks, stopped. */
async function madeChain() {
  const folder = await makeFolder()
  const chain = await start({ folder, mineAfterMs: 1 })
  for (let n = 0; n < 3; n++) await chain.fund({ address: sink, wei: 1n })
  const head = await headOf(chain)
  await chain.stop()
  return { folder, head, text: await fs.readFile(journalOf(folder), 'utf8') }
}

async function bump(chain: LocalChain, to: `0x${string}`): Promise<void> {
  const data = encodeFunctionData({ abi: probeAbi, functionName: 'bump', args: [1n] })
  await chain.send({ to, data })
}

describe('after a restart', () => {
  test('has the same blocks, faucet and deployments', async () => {
    const folder = await makeFolder()
    const first = await start({ folder })
    const account = await fundedAccount(first)
    const address = await first.deployOnce({ name: 'Probe', data: probeCode })
    await Promise.all([bump(first, address), bump(first, address)])
    const hash = await sendRaw(first, await signTransfer(account, { nonce: 0, value: 9n }))
    const { reader } = clientsOf(first)
    await reader.waitForTransactionReceipt({ hash })
    const receipt = await reader.getTransactionReceipt({ hash })
    const head = await headOf(first)
    await first.stop()
    await expect(reader.getBlockNumber()).rejects.toThrow('HTTP request failed')

    const second = await start({ folder })
    expect(await headOf(second)).toEqual(head)
    expect(second.faucet).toBe(first.faucet)
    const after = clientsOf(second).reader
    expect(await after.getTransactionReceipt({ hash })).toEqual(receipt)
    const count = { address, abi: probeAbi, functionName: 'count' } as const
    expect(await after.readContract(count)).toBe(2n)
    expect(await second.deployOnce({ name: 'Probe', data: probeCode })).toBe(address)
    expect(await headOf(second)).toEqual(head)
    await bump(second, address)
    expect(await after.readContract(count)).toBe(3n)
  })

  test('keeps pending transactions, which are mined', async () => {
    const folder = await makeFolder()
    const first = await start({ folder })
    const account = await fundedAccount(first)
    const gap = await sendRaw(first, await signTransfer(account, { nonce: 1 }))
    await first.stop()
    const second = await start({ folder })
    const { reader } = clientsOf(second)
    expect((await reader.getTransaction({ hash: gap })).blockNumber).toBeNull()
    await sendRaw(second, await signTransfer(account, { nonce: 0 }))
    expect((await reader.waitForTransactionReceipt({ hash: gap })).status).toBe('success')
  })

  test('has a secret and a journal readable by their owner only', async () => {
    const { folder } = await madeChain()
    for (const name of ['faucet-key', 'journal.jsonl']) {
      const { mode } = await fs.stat(join(folder, 'chain', name))
      expect(mode & 0o777, name).toBe(0o600)
    }
  })

  test(`replays ${BLOCKS} blocks, at least two hundred a second`, async () => {
    const folder = await makeFolder()
    const first = await start({ folder, ...manually })
    const mine = () => first.request({ method: 'evm_mine' })
    const funding = fundedAccount(first)
    await mineUntilFilled(first)
    const account = await funding
    const blocks: Promise<unknown>[] = []
    for (let nonce = 0; nonce < BLOCKS; nonce++) {
      blocks.push(sendRaw(first, await signTransfer(account, { nonce })), mine())
    }
    await Promise.all(blocks)
    const head = await headOf(first)
    await first.stop()
    const began = performance.now()
    const before = process.cpuUsage()
    const second = await start({ folder })
    const used = process.cpuUsage(before)
    const took = Math.round(performance.now() - began)
    expect(await headOf(second)).toEqual(head)
    const rate = Math.round((head.number / took) * 1000)
    process.stdout.write(`local chain: ${head.number} blocks in ${took} ms, ${rate} a second\n`)
    // Processor time, because the machine may be busy.
    expect((used.user + used.system) / 1_000_000).toBeLessThan(BLOCKS / 200)
  })
})

describe('after kill -9', () => {
  test('has every acknowledged transaction', async () => {
    const folder = await makeFolder()
    const chain = await start({ folder })
    const account = await fundedAccount(chain)
    await chain.stop()
    for (let round = 0; round < 2; round++) {
      // In the first round no block is mined before the end; in the second one may be in progress.
      const mineAfterMs = round === 0 ? 60_000 : 1
      const { child, rpcUrl } = await holdChain({ folder, mineAfterMs })
      const nonces = [0, 1, 2].map((n) => round * 3 + n)
      const raws = await Promise.all(nonces.map((nonce) => signTransfer(account, { nonce })))
      const method = 'eth_sendRawTransaction'
      const answers = await Promise.all(
        raws.map((raw, id) => post(rpcUrl, { jsonrpc: '2.0', id, method, params: [raw] })),
      )
      await killHard(child)
      expect(answers.map(({ body }) => body)).toMatchObject(
        raws.map((raw) => ({ result: keccak256(raw) })),
      )
      const next = await start({ folder })
      const { reader } = clientsOf(next)
      for (const raw of raws) {
        const receipt = await reader.waitForTransactionReceipt({ hash: keccak256(raw) })
        expect(receipt.status).toBe('success')
      }
      await next.stop()
    }
  })

  test('has every observed block unchanged', async () => {
    const folder = await makeFolder()
    const chain = await start({ folder })
    const account = await fundedAccount(chain)
    await chain.stop()
    const { child, rpcUrl } = await holdChain({ folder, mineAfterMs: 1 })
    const { reader, writer } = clientsOf({ rpcUrl })
    const hash = await writer(account).sendTransaction({ to: sink, value: 1n })
    const seen = await reader.waitForTransactionReceipt({ hash })
    await killHard(child)
    const next = await start({ folder })
    expect(await headOf(next)).toMatchObject({ hash: seen.blockHash })
  })
})

test('stopping lets the process exit by itself', async () => {
  const { child, rpcUrl } = await holdChain({ folder: await makeFolder() })
  await clientsOf({ rpcUrl }).reader.getBlockNumber()
  const ended = once(child, 'exit')
  child.send('stop')
  expect(await ended).toEqual([0, null])
})

describe('a journal', () => {
  test('with a torn last line is truncated before it', async () => {
    const { folder, head, text } = await madeChain()
    for (const torn of ['{"tx":"0x02f8', '{"block":4,"at":17\n', '\0\0\0\0\0\0\n']) {
      await fs.appendFile(journalOf(folder), torn)
      const chain = await start({ folder })
      expect(await headOf(chain)).toEqual(head)
      await chain.stop()
      expect(await fs.readFile(journalOf(folder), 'utf8')).toBe(text)
    }
  })

  test('truncated within its last block mines that block again', async () => {
    const { folder, head, text } = await madeChain()
    await fs.truncate(journalOf(folder), text.length - 5)
    const chain = await start({ folder })
    await expect.poll(() => headOf(chain)).toMatchObject({ number: head.number })
    expect((await headOf(chain)).transactions).toEqual(head.transactions)
  })

  test('without a complete entry is started again', async () => {
    const { folder, text } = await madeChain()
    await fs.writeFile(journalOf(folder), text.slice(0, 20))
    expect(await headOf(await start({ folder }))).toMatchObject({ number: 0 })
  })

  test('that is damaged or does not lead to the recorded block says what to delete', async () => {
    const { folder, text, head } = await madeChain()
    const lines = text.split('\n')
    const last = lines.findLastIndex((line) => line.includes('"block"'))
    const change = (index: number, from: string | RegExp, to: string) =>
      lines.with(index, (lines[index] ?? '').replace(from, to)).join('\n')
    for (const [damaged, why] of [
      [change(2, '{', ''), 'line 3 is damaged'],
      [change(last, head.hash, `0x${'00'.repeat(32)}`), `block 3 should have the hash`],
      [change(2, /"at":(\d+)/, '"at":1'), 'an entry from line 2 on is rejected'],
      [change(0, /"genesisTime":\d/, '"genesisTime":2'), 'another faucet key or version'],
    ]) {
      await fs.writeFile(journalOf(folder), damaged ?? '')
      const starting = start({ folder })
      await expect(starting, why).rejects.toThrow(StartupError)
      await expect(starting).rejects.toThrow(why)
      await expect(starting).rejects.toThrow(`Delete the folder ${join(folder, 'chain')} to start`)
      expect(await fs.readFile(journalOf(folder), 'utf8')).toBe(damaged)
    }
  })
})

describe('test controls', () => {
  test('replace blocks, with the same transactions or without', async () => {
    const folder = await makeFolder()
    const chain = await start({ folder, mineAfterMs: 1, allowTestMethods: true })
    const account = await fundedAccount(chain)
    const { reader } = clientsOf(chain)
    const raw = await signTransfer(account, { nonce: 0 })
    const snapshot = () => chain.request({ method: 'evm_snapshot' })
    const revert = (id: unknown) => chain.request({ method: 'evm_revert', params: [id] })
    const send = async () => {
      const hash = await sendRaw(chain, raw)
      return reader.waitForTransactionReceipt({ hash })
    }
    const base = await headOf(chain)
    const first = await snapshot()
    const seen = await send()
    expect(await revert(first)).toBe(true)
    expect(await headOf(chain)).toEqual(base)
    const second = await snapshot()
    const anew = await send()
    expect(anew.blockNumber).toBe(seen.blockNumber)
    expect(anew.blockHash).not.toBe(seen.blockHash)
    await revert(second)
    await chain.request({ method: 'evm_mine' })
    const { hash } = await headOf(chain)
    await chain.stop()
    expect((await headOf(await start({ folder }))).hash).toBe(hash)
  })

  test('drop transactions that can no longer be paid for, and the chain continues', async () => {
    const folder = await makeFolder()
    const chain = await start({ folder, ...manually })
    const funding = fundedAccount(chain)
    await mineUntilFilled(chain)
    const account = await funding
    const hash = await sendRaw(chain, await signTransfer(account, { nonce: 0 }))
    await chain.request({ method: 'hardhat_setBalance', params: [account.address, '0x0'] })
    const find = { method: 'eth_getTransactionByHash', params: [hash] }
    expect(await chain.request(find)).toBeNull()
    await chain.request({ method: 'evm_mine' })
    const head = await headOf(chain)
    expect(head.transactions).toEqual([])
    await chain.stop()
    expect(await headOf(await start({ folder }))).toEqual(head)
  })

  test('define finality as a depth', async () => {
    const chain = await start({ ...manually, finalityDepth: 3 })
    const { reader } = clientsOf(chain)
    const finalized = async () => (await reader.getBlock({ blockTag: 'finalized' })).number
    expect(await finalized()).toBe(0n)
    for (let n = 0; n < 5; n++) await chain.request({ method: 'evm_mine' })
    expect(await finalized()).toBe(2n)
    const balance = reader.getBalance({ address: chain.faucet, blockTag: 'safe' })
    expect(await balance).toBeGreaterThan(parseEther('1000000'))
    expect(await reader.getLogs({ fromBlock: 'finalized', toBlock: 'finalized' })).toEqual([])
  })
})
