/**
 * One application for all files of a worker whose tests only need organizations and people of their
 * own. Starting another takes as long as fifty requests, and its connections plan everything anew.
 * Tests that read across organizations, or change the configuration or the database, start theirs.
 */
import { startTestApp, type TestApp } from './app.ts'
import { liftOwnersRowSecurity } from './steps.ts'

let started: Promise<TestApp> | undefined

async function start(): Promise<TestApp> {
  const app = await startTestApp()
  await liftOwnersRowSecurity(app.database)
  // Nothing that one file replaces may reach the next.
  Object.freeze(app.ctx)
  return { ...app, stop: async () => {} }
}

/** It ends with the worker. */
export function sharedTestApp(): Promise<TestApp> {
  started ??= start()
  return started
}
