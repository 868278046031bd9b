/**
 * Runs in each of the runner's processes before a test file. Records which functions the file
 * calls when coverage is measured, and ends the process when a mutant loops for ever.
 */
import { appendFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where coverage is written; null when a mutant runs. */
    coverageFile: string | null
    fileTimeoutMs: number
  }
}

const shared = globalThis as { __called?: Set<string>; __watch?: Worker }

/** Only another thread still runs while the main one is in a loop. */
const WATCH = `
  const { parentPort, workerData } = require('node:worker_threads')
  let timer
  parentPort.on('message', () => {
    clearTimeout(timer)
    timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), workerData)
  })`

const coverageFile = inject('coverageFile')
if (coverageFile === null) {
  shared.__watch ??= new Worker(WATCH, { eval: true, workerData: inject('fileTimeoutMs') })
  shared.__watch.unref()
  shared.__watch.postMessage('begun')
} else {
  const startedAt = performance.now()
  const called = new Set<string>()
  shared.__called = called
  afterAll(() => {
    const { testPath } = expect.getState()
    const ms = Math.round(performance.now() - startedAt)
    appendFileSync(coverageFile, `${JSON.stringify([testPath, ms, [...called]])}\n`)
  })
}
