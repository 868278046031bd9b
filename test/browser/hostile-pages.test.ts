/** Whatever lies, hangs or goes away: each has an answer of the page, and nothing is signed. */
import { afterAll, beforeAll } from 'vitest'
import { hostileService } from '#test/browser/hostile-service.ts'
import { hostileSession } from '#test/browser/hostile-session.ts'
import { openStage, type Stage } from '#test/browser/hostile-stage.ts'
import { hostileWallet } from '#test/browser/hostile-wallet.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
}, 240_000)
afterAll(() => stage?.application.close())

hostileService(() => stage)
hostileWallet(() => stage)
hostileSession(() => stage)
