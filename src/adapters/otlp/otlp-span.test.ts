import { expect, test } from 'vitest'
import { type FinishedSpan, toOtlpSpan, toUnixNano } from './otlp-span.ts'

const span: FinishedSpan = {
  traceId: '0199f3c26b1e7c449d0a5f3f0c1d2e3a',
  spanId: '00f067aa0ba902b7',
  parentSpanId: undefined,
  name: 'SQL select',
  kind: 'client',
  attributes: { text: 'select $1', count: 3, share: 0.5, isDone: true },
  startMs: 1_790_000_000_000.25,
  endMs: 1_790_000_000_001,
  isFailed: false,
  link: undefined,
}

test.each([
  [0, '0000000'],
  [1_790_000_000_000, '1790000000000000000'],
  [1_790_000_000_000.25, '1790000000000250000'],
  [1_790_000_000_000.75, '1790000000000750000'],
])('%d ms is %s ns', (ms, text) => {
  expect(toUnixNano(ms)).toBe(text)
})

test('a span in the JSON of OTLP: ids as hex, times and integers as text', () => {
  expect(toOtlpSpan(span)).toEqual({
    traceId: '0199f3c26b1e7c449d0a5f3f0c1d2e3a',
    spanId: '00f067aa0ba902b7',
    name: 'SQL select',
    kind: 3,
    startTimeUnixNano: '1790000000000250000',
    endTimeUnixNano: '1790000000001000000',
    attributes: [
      { key: 'text', value: { stringValue: 'select $1' } },
      { key: 'count', value: { intValue: '3' } },
      { key: 'share', value: { doubleValue: 0.5 } },
      { key: 'isDone', value: { boolValue: true } },
    ],
    status: {},
  })
  const link = { traceId: span.traceId, spanId: '00f067aa0ba902b8' }
  const failed = { ...span, isFailed: true, parentSpanId: link.spanId, link }
  expect(toOtlpSpan(failed)).toMatchObject({
    parentSpanId: link.spanId,
    links: [link],
    status: { code: 2 },
  })
})
