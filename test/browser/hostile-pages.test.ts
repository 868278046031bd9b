/** Whatever lies, hangs or goes away: each has an answer of the page, and nothing is signed. */
import { afterAll, beforeAll } from 'vitest'
import { closeStage, openStage } from '#test/browser/hostile-stage.ts'
// One service and one organization serve all cases, so they are one file for the runner.
import '#test/browser/hostile-service.ts'
import '#test/browser/hostile-wallet.ts'
import '#test/browser/hostile-session.ts'

beforeAll(openStage)
afterAll(closeStage)
