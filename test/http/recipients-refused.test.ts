/** Recipients that the vault would refuse are rejected when they are added. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createOrganization, type Organization, type TestApp } from '#test/support/app.ts'
import { writeExecutor, writeVaults } from '#test/support/books.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, outcome } from '#test/support/steps.ts'

let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await sharedTestApp()
  organization = await createOrganization(service)
})

const add = (address: string) => addRecipient(service, organization, { address })

const listed = async () =>
  (
    await service.call('GET', `${organization.path}/recipients`, {
      token: organization.owner.token,
    })
  ).body.recipients

describe('POST recipients', () => {
  test("rejects the token's address, in any case, with 400", async () => {
    const { tokenAddress } = service.ctx.chain
    for (const address of [tokenAddress, `0x${tokenAddress.slice(2).toUpperCase()}`]) {
      expect(outcome(await add(address))).toBe('400 validation_failed')
    }
    expect(await listed()).toEqual([])
  })

  test('rejects a vault of the organization with 400', async () => {
    const { addresses } = await writeVaults(service, organization.id)
    for (const address of addresses)
      expect(outcome(await add(address))).toBe('400 validation_failed')
    expect(await listed()).toEqual([])
  })

  test("rejects the organization's executor with 400", async () => {
    const { address } = await writeExecutor(service, organization.id)
    expect(outcome(await add(address))).toBe('400 validation_failed')
    expect(await listed()).toEqual([])
  })

  test("accepts another organization's vault, without revealing that it is one", async () => {
    const other = await createOrganization(service)
    const { addresses } = await writeVaults(service, other.id, 1)
    expect((await add(addresses[0] ?? '')).status).toBe(201)
  })
})
