import { expect, test } from 'vitest'
import { createRunningUploads } from './running-uploads.ts'

function request() {
  const { promise, resolve } = Promise.withResolvers<string>()
  const signals: AbortSignal[] = []
  const send = (signal: AbortSignal) => {
    signals.push(signal)
    return promise
  }
  return { send, end: () => resolve('stored'), isAborted: () => signals[0]?.aborted }
}

test('an upload that nobody stopped ends with its answer', async () => {
  const uploads = createRunningUploads()
  const one = request()
  const answer = uploads.run('a', one.send)
  one.end()
  expect(await answer).toBe('stored')
  expect(one.isAborted()).toBe(false)
})

test('nothing comes of a removed upload, even if it was stored meanwhile', async () => {
  const uploads = createRunningUploads()
  const [one, other] = [request(), request()]
  const answers = Promise.all([uploads.run('a', one.send), uploads.run('b', other.send)])
  uploads.stop('a')
  one.end()
  other.end()
  expect(await answers).toEqual([null, 'stored'])
  expect([one.isAborted(), other.isAborted()]).toEqual([true, false])
})

test('a cleared form stops every upload', async () => {
  const uploads = createRunningUploads()
  const [one, other] = [request(), request()]
  const answers = Promise.all([uploads.run('a', one.send), uploads.run('b', other.send)])
  uploads.stopAll()
  one.end()
  other.end()
  expect(await answers).toEqual([null, null])
})

test('a retry takes the place of the attempt before it', async () => {
  const uploads = createRunningUploads()
  const [first, again] = [request(), request()]
  const answers = Promise.all([uploads.run('a', first.send), uploads.run('a', again.send)])
  first.end()
  again.end()
  expect(await answers).toEqual([null, 'stored'])
})
