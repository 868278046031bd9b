/**
 * Signing in a real browser. Several people sign together; and whatever lies, hangs or goes away,
 * each has an answer of the page, and nothing is signed.
 */
import { afterAll, beforeAll } from 'vitest'
import { closeStage, openStage } from '#test/browser/hostile-stage.ts'
// One service and one organization serve all cases, so they are one file for the runner. A browser
// that has not signed anything yet comes first, and a member who is removed comes last.
import '#test/browser/hostile-service.ts'
import '#test/browser/several-signatures.ts'
import '#test/browser/hostile-wallet.ts'
import '#test/browser/hostile-session.ts'

beforeAll(openStage)
afterAll(closeStage)
