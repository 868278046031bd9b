import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem'
import { expect, test } from 'vitest'
import { isNodeOutage } from './rpc-node.ts'

const url = 'http://127.0.0.1:1'
const withStatus = (status: number) => new HttpRequestError({ url, status })

test('treats a time-out, no connection, a rate limit and a server error as an outage', () => {
  expect(isNodeOutage(new TimeoutError({ body: {}, url }))).toBe(true)
  expect(isNodeOutage(new HttpRequestError({ url }))).toBe(true)
  for (const status of [429, 500, 503]) expect(isNodeOutage(withStatus(status))).toBe(true)
})

test('does not treat an error answer of the node or its gateway as an outage', () => {
  const error = { code: -32_000, message: 'header not found' }
  expect(isNodeOutage(new RpcRequestError({ body: {}, url, error }))).toBe(false)
  for (const status of [400, 403, 404]) expect(isNodeOutage(withStatus(status))).toBe(false)
  expect(isNodeOutage(new Error('Block 7 is not final at height 6'))).toBe(false)
})
