/** The compiler checks this file; the calls are never made. */
import type { Hex } from 'viem'
import { expectTypeOf, test } from 'vitest'
import type { Client } from './client.ts'
import type { BodyOf, DataOf, ItemOf, ListId, OperationId } from './operation-types.ts'

const path = { organizationId: 'o' }

test('an operation takes what its document says, and no more', () => {
  const check = (client: Client) => {
    client.call('getAccount')
    client.call('listExpenses', { path })
    client.call('createExpense', {
      path,
      body: {
        vaultId: 'v',
        recipientId: 'r',
        purpose: 'p',
        amountBaseUnits: '1',
        requestedMode: 'approved',
      },
      idempotencyKey: 'k',
    })
    // The key in the body is optional.
    client.call('createWallet', { body: { purpose: 'Payroll' } })
    // @ts-expect-error the path is missing
    client.call('listExpenses')
    // @ts-expect-error the body is missing
    client.call('createExpense', { path })
    // @ts-expect-error a body that the operation does not take
    client.call('createExpense', { path, body: { amount: 1 } })
    // @ts-expect-error no such state
    client.call('listExpenses', { path, query: { state: 'lost' } })
    // @ts-expect-error a CSV file is not JSON: how to read it is missing
    client.call('exportPayments', { path })
    // @ts-expect-error nor is a stream
    client.call('streamLive', { path })
    // @ts-expect-error no such operation
    client.call('deleteEverything')
  }
  expectTypeOf(check).toBeFunction()
})

test('the data has the type of the success, and null only for a conditional read', () => {
  const read = async (client: Client) => {
    const plain = await client.call('getLiveSnapshot', { path })
    if (plain.ok) expectTypeOf(plain.data.cursor).toEqualTypeOf<string | null>()
    const headers = { 'if-none-match': 'W/"1"' }
    const conditional = await client.call('getLiveSnapshot', { path, headers })
    // @ts-expect-error may be null
    if (conditional.ok) conditional.data.cursor
    const text = await client.call('exportAuditTrail', { path, as: 'text' })
    if (text.ok) expectTypeOf(text.data).toEqualTypeOf<string>()
  }
  expectTypeOf(read).toBeFunction()
})

test('addresses, hashes and bytes of answers have the type of viem, and requests take text', () => {
  expectTypeOf<DataOf<'getClientConfig'>['token']['address']>().toEqualTypeOf<Hex>()
  expectTypeOf<DataOf<'prepareVaultDeployment'>['organizationHash']>().toEqualTypeOf<Hex>()
  expectTypeOf<DataOf<'preparePolicy'>['transaction']['data']>().toEqualTypeOf<Hex>()
  expectTypeOf<BodyOf<'addRecipient'>['address']>().toEqualTypeOf<string>()
  expectTypeOf<BodyOf<'confirmPolicy'>['transactionHash']>().toEqualTypeOf<string>()
  expectTypeOf<BodyOf<'submitSignature'>['signature']>().toEqualTypeOf<string>()
})

test('items have the type of their list', () => {
  expectTypeOf<ItemOf<'listMembers'>['role']>().toEqualTypeOf<'owner' | 'manager' | 'employee'>()
  expectTypeOf<ItemOf<'listFundingActions'>>().toEqualTypeOf<DataOf<'listFundingActions'>[number]>()
  expectTypeOf<'getAccount'>().not.toExtend<ListId>()
  expectTypeOf<ListId>().toExtend<OperationId>()
})
