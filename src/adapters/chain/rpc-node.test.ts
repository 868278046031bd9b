import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem'
import { expect, test } from 'vitest'
import { isSilence } from './rpc-node.ts'

const url = 'http://127.0.0.1:1'
const withStatus = (status: number) => new HttpRequestError({ url, status })

test('a time-out, no connection, a rate limit and a server error are silence', () => {
  expect(isSilence(new TimeoutError({ body: {}, url }))).toBe(true)
  expect(isSilence(new HttpRequestError({ url }))).toBe(true)
  for (const status of [429, 500, 503]) expect(isSilence(withStatus(status))).toBe(true)
})

test('an error that the node or its gateway answers with is no silence', () => {
  const error = { code: -32_000, message: 'header not found' }
  expect(isSilence(new RpcRequestError({ body: {}, url, error }))).toBe(false)
  for (const status of [400, 403, 404]) expect(isSilence(withStatus(status))).toBe(false)
  expect(isSilence(new Error('Block 7 is not final at height 6'))).toBe(false)
})
