/** The export operations of both realms, which differ in their addresses only. */
import { client } from '../data/api.ts'

export type ExportRealm = 'consumer' | 'admin'

type Request = { path: { walletId: string }; body: { recipientPublicKey: string } }
type Completion = {
  path: { walletId: string; requestId: string }
  headers: Record<string, string>
  body: { recipientPublicKey: string; authorizationSignature: string; mfaAssertion: string }
}
type Cancellation = Pick<Completion, 'path'>

export const exportCalls = (realm: ExportRealm) => {
  const isAdmin = realm === 'admin'
  return {
    request: (input: Request) =>
      isAdmin
        ? client.call('requestAdminWalletExport', input)
        : client.call('requestWalletExport', input),
    complete: (input: Completion) =>
      isAdmin
        ? client.call('completeAdminWalletExport', input)
        : client.call('completeWalletExport', input),
    cancel: (input: Cancellation) =>
      isAdmin
        ? client.call('cancelAdminWalletExport', input)
        : client.call('cancelWalletExport', input),
  }
}
