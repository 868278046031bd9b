import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { cleanUp, newAccount, post, start } from '#test/dev/fixtures/chain-steps.ts'

afterEach(cleanUp)

describe('a request', () => {
  test('is answered singly or in batches, each with its id', async () => {
    const { rpcUrl } = await start()
    const ask = (id: unknown, method: string) => ({ jsonrpc: '2.0', id, method })
    const chainId = { jsonrpc: '2.0', id: 'a', result: '0x7a69' }
    expect((await post(rpcUrl, ask('a', 'eth_chainId'))).body).toEqual(chainId)
    const batch = [
      ask('a', 'eth_chainId'),
      ask(2, 'no_such'),
      7,
      { id: 3, method: 'x', params: {} },
    ]
    expect((await post(rpcUrl, batch)).body).toMatchObject([
      chainId,
      { id: 2, error: { code: -32_601 } },
      { id: null, error: { code: -32_600 } },
      { id: 3, error: { code: -32_600 } },
    ])
    expect((await post(rpcUrl, '{')).body).toMatchObject({ id: null, error: { code: -32_700 } })
    expect((await post(rpcUrl, [])).body).toMatchObject({ error: { code: -32_600 } })
  })

  test('that is too large, at another path or with another method is refused', async () => {
    const { rpcUrl } = await start()
    const large = JSON.stringify({ method: 'eth_chainId', params: ['x'.repeat(2 * 1024 * 1024)] })
    expect((await post(rpcUrl, large)).status).toBe(413)
    expect((await post(`${rpcUrl}/other`, {})).status).toBe(404)
    expect((await fetch(rpcUrl)).status).toBe(405)
  })

  test('that would change the chain without a signature is refused', async () => {
    const { rpcUrl } = await start()
    const from = newAccount().address
    for (const [method, ...params] of [
      ['evm_mine'],
      ['evm_snapshot'],
      ['evm_revert', '0x1'],
      ['evm_increaseTime', 1],
      ['hardhat_setBalance', from, '0x1'],
      ['hardhat_impersonateAccount', from],
      ['anvil_setBalance', from, '0x1'],
      ['debug_traceTransaction', `0x${'00'.repeat(32)}`],
      ['eth_sendTransaction', { from }],
      ['eth_sign', from, '0x'],
    ]) {
      const { body } = await post(rpcUrl, { jsonrpc: '2.0', id: 1, method, params })
      expect(body, String(method)).toMatchObject({ error: { code: -32_601 } })
    }
  })
})

test('a port in use is reported in one clear line', async () => {
  const taken = createServer()
  const { promise, resolve } = Promise.withResolvers<void>()
  taken.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = taken.address() as { port: number }
  const starting = start({ port })
  await expect(starting).rejects.toThrow(StartupError)
  await expect(starting).rejects.toThrow(
    `Cannot listen on DEV_CHAIN_PORT ${port} (EADDRINUSE). ` +
      'Stop the process that uses it, or set DEV_CHAIN_PORT to another port.',
  )
  taken.close()
})
