/**
 * The page's policy forbids addresses of scripts that are put together at run time (Trusted Types).
 * The service worker is the one exception, and this is the only policy: the gateway names it in
 * `trusted-types`, and it lets through nothing but our own worker.
 */
const WORKER_POLICY = 'countersign-worker'

const WORKER = /^\/sw\.js\?language=(?:en|de)$/

/** Throws for any other script. */
export function workerUrl(path: string): string {
  if (!WORKER.test(path)) throw new TypeError('This is not the service worker.')
  return path
}

type Policy = { createScriptURL(path: string): unknown }
type Factory = {
  createPolicy(name: string, rules: { createScriptURL(path: string): string }): Policy
}

let policy: Policy | undefined

/** Browsers without Trusted Types take the text itself. */
export function trustedWorkerUrl(path: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Factory }
  if (!trustedTypes) return workerUrl(path)
  // A second policy of the same name is refused, so that nobody can make one.
  policy ??= trustedTypes.createPolicy(WORKER_POLICY, { createScriptURL: workerUrl })
  return policy.createScriptURL(path) as string
}
