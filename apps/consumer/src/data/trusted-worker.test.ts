import { expect, it } from 'vitest'
import { trustedWorkerUrl, workerUrl } from './trusted-worker.ts'

it('lets through our own worker', () => {
  expect(workerUrl('/sw.js?language=de')).toBe('/sw.js?language=de')
  expect(trustedWorkerUrl('/sw.js?language=en')).toBe('/sw.js?language=en')
})

it.each([
  '/sw.js',
  '//evil.example/sw.js?language=en',
  '/sw.js?language=en&x=1',
  'data:text/javascript,1',
])('refuses %s', (path) => {
  expect(() => workerUrl(path)).toThrow('not the service worker')
})
