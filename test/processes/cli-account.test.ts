import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { main } from '#cli/account.ts'
import { commandHere } from '#test/processes/commands.ts'
import { production } from '#test/processes/environment.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { auditTrail } from '#test/support/steps.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('npm run account records the id in lower case, however it is typed', async () => {
  const { accountId } = await service.signIn()
  const account = (event: string) =>
    commandHere(main, [event, accountId.toUpperCase()], production(service.database.url))
  expect(await account('disable')).toMatchObject({ code: 0, stdout: 'The account is disabled.\n' })
  expect(await account('enable')).toMatchObject({ code: 0, stdout: 'The account is enabled.\n' })
  const trail = await auditTrail(service.database, null)
  const changes = trail.filter(({ action }) => /^account\.(disabled|enabled)$/.test(action))
  expect(changes.map(({ aggregateId }) => aggregateId)).toEqual([accountId, accountId])
})
