import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { readTracing } from './tracing.ts'
import type { Environment } from './values.ts'

const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://collector.example:4318'
const settings = { OTEL_EXPORTER_OTLP_ENDPOINT }

function problemOf(env: Environment, production = true): string {
  try {
    readTracing(env, production)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/hunter2|[\n\r]/)
    return message
  }
  return 'no problem'
}

describe('tracing', () => {
  test('is off without a collector, whatever else is set', () => {
    expect(readTracing({}, true)).toBeUndefined()
    expect(readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, true)).toBeUndefined()
    expect(readTracing({ TRUST_TRACEPARENT: 'true' }, true)).toBeUndefined()
  })

  test('is read', () => {
    expect(readTracing(settings, true)).toEqual({
      url: 'https://collector.example:4318',
      headers: {},
      sampleRatio: 1,
      trustsTraceparent: false,
    })
    const all = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=hunter2%20more, authorization=Basic%20aGk=',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER_ARG: '0.05',
      TRUST_TRACEPARENT: 'true',
    }
    expect(readTracing(all, true)).toEqual({
      url: 'https://collector.example/otlp',
      headers: { 'x-key': 'hunter2 more', authorization: 'Basic aGk=' },
      sampleRatio: 0.05,
      trustsTraceparent: true,
    })
  })

  test('uses http in production only without headers, or on loopback', () => {
    const plain = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
    const key = { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hunter2' }
    const here = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    expect(problemOf(plain)).toBe('no problem')
    expect(problemOf({ ...plain, ...key }, false)).toBe('no problem')
    expect(problemOf({ ...here, ...key })).toBe('no problem')
    expect(problemOf({ ...plain, ...key })).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT must be a https/)
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318', 'grpc://a', 'https://u:hunter2@a.example']],
    ['OTEL_EXPORTER_OTLP_HEADERS', ['hunter2', '=hunter2', 'a=', 'a=%', 'a=%0ahunter2', 'a b=c']],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'http/protobuf']],
    ['OTEL_TRACES_SAMPLER_ARG', ['2', '-1', '50%', '1.5', 'always', '1e-2']],
    ['TRUST_TRACEPARENT', ['yes', '1']],
  ])('a bad %s is one line that names it', (name, values) => {
    for (const value of values) {
      expect(problemOf({ ...settings, [name]: value })).toMatch(new RegExp(`^${name} must be`))
    }
  })
})
