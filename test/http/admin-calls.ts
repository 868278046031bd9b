/** The calls of operators, and what each leaves in which trail. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { House } from '#test/security/house.ts'

type Left = { trail: 'its own' | 'the service'; action: string; data: object; tables?: string[] }
type Asked = { url: string; body?: object; status: number; left: Left | undefined }

const unknownId = randomUUID()

export const admin = '/v1/admin'
const proofs = `${admin}/organizations/:organizationId/integration-proofs/ledger/signatures`

const looked = (operation: string, asked: object = {}): Left => ({
  trail: 'the service',
  action: 'operator.read',
  data: { operation, ...asked },
})
const lookedAt = (operation: string, asked: object = {}): Left => ({
  ...looked(operation, asked),
  trail: 'its own',
})

/**
 * One valid call for each operator route, and one for a missing resource where that is possible.
 */
export const calls: Record<string, (home: House) => Asked[]> = {
  [`GET ${admin}/overview`]: () => [
    { url: `${admin}/overview`, status: 200, left: looked('getAdminOverview') },
  ],
  [`GET ${admin}/failures`]: () => [
    { url: `${admin}/failures`, status: 200, left: looked('listFailures') },
  ],
  [`GET ${admin}/audit-events`]: () => [
    {
      url: `${admin}/audit-events?action=operator.read&from=2026-01-01T00:00:00Z&limit=3`,
      status: 200,
      left: looked('listAdminAuditEvents', {
        action: 'operator.read',
        from: '2026-01-01T00:00:00Z',
      }),
    },
  ],
  [`GET ${admin}/support-cases`]: () => [
    {
      url: `${admin}/support-cases?status=open&priority=low`,
      status: 200,
      left: looked('listAdminSupportCases', {
        page: 1,
        sort: 'newest',
        status: 'open',
        priority: 'low',
      }),
    },
  ],
  [`GET ${admin}/support-cases/:caseId`]: ({ caseId }) => [
    {
      url: `${admin}/support-cases/${caseId}`,
      status: 200,
      left: lookedAt('getAdminSupportCase', { caseId }),
    },
    {
      url: `${admin}/support-cases/${unknownId}`,
      status: 404,
      left: looked('getAdminSupportCase', { caseId: unknownId }),
    },
  ],
  [`GET ${admin}/organizations`]: () => [
    { url: `${admin}/organizations`, status: 200, left: looked('listAdminOrganizations') },
    {
      url: `${admin}/organizations?q=Acme%20%E6%9D%B1`,
      status: 200,
      left: looked('listAdminOrganizations', { q: 'Acme 東' }),
    },
  ],
  [`GET ${admin}/organizations/:organizationId`]: ({ organization }) => [
    {
      url: `${admin}/organizations/${organization.id}`,
      status: 200,
      left: lookedAt('getAdminOrganization'),
    },
    {
      url: `${admin}/organizations/${unknownId}`,
      status: 404,
      left: looked('getAdminOrganization', { organizationId: unknownId }),
    },
  ],
  [`GET ${admin}/organizations/:organizationId/payments/:paymentId`]: ({
    organization: { id: organizationId },
    paymentId,
  }) => [
    {
      url: `${admin}/organizations/${organizationId}/payments/${paymentId}`,
      status: 200,
      left: lookedAt('getAdminPayment', { paymentId }),
    },
    {
      url: `${admin}/organizations/${organizationId}/payments/${unknownId}`,
      status: 404,
      left: looked('getAdminPayment', { organizationId, paymentId: unknownId }),
    },
  ],
  [`GET ${admin}/executors`]: () => [
    { url: `${admin}/executors`, status: 200, left: looked('listAdminExecutors') },
  ],
  [`GET ${admin}/organizations/:organizationId/executor`]: ({ organization }) => [
    {
      url: `${admin}/organizations/${organization.id}/executor`,
      status: 200,
      left: lookedAt('getAdminExecutor'),
    },
    {
      url: `${admin}/organizations/${unknownId}/executor`,
      status: 403,
      left: looked('getAdminExecutor', { organizationId: unknownId }),
    },
  ],
  // Clients repeat these by themselves, so the second call records nothing.
  [`GET ${admin}/live/snapshot`]: () => [
    { url: `${admin}/live/snapshot`, status: 200, left: looked('getAdminLiveSnapshot') },
    { url: `${admin}/live/snapshot`, status: 200, left: undefined },
  ],
  [`GET ${admin}/live/stream`]: () => [
    {
      url: `${admin}/live/stream`,
      status: 200,
      // The first stream of a process sets the epoch of live events.
      left: { ...looked('streamAdminLive'), tables: ['countersign.live_state'] },
    },
    { url: `${admin}/live/stream`, status: 200, left: undefined },
  ],
  [`GET ${admin}/integrations/status`]: () => [
    { url: `${admin}/integrations/status`, status: 200, left: looked('getIntegrationsStatus') },
  ],
  [`GET ${admin}/wallets/`]: () => [
    { url: `${admin}/wallets/`, status: 200, left: looked('listAdminWallets') },
  ],
  [`GET ${proofs}`]: ({ organization }) => [
    {
      url: proofs.replace(':organizationId', organization.id),
      status: 200,
      left: lookedAt('listLedgerProofs'),
    },
    {
      url: proofs.replace(':organizationId', unknownId),
      status: 404,
      left: looked('listLedgerProofs', { organizationId: unknownId }),
    },
  ],
  [`GET ${proofs}/:id`]: ({ organization, proofId }) => [
    {
      url: `${proofs.replace(':organizationId', organization.id)}/${proofId}`,
      status: 200,
      left: lookedAt('getLedgerProof', { proofId }),
    },
    {
      url: `${proofs.replace(':organizationId', organization.id)}/${unknownId}`,
      status: 404,
      left: looked('getLedgerProof', { proofId: unknownId }),
    },
  ],
  [`POST ${admin}/organizations/:organizationId/executor/reconcile`]: ({ organization }) => [
    {
      url: `${admin}/organizations/${organization.id}/executor/reconcile`,
      status: 202,
      left: {
        trail: 'its own',
        action: 'executor.reconciled',
        data: { state: 'requested' },
        // Enqueues the provisioning job without changing the provisioning.
        tables: ['graphile_worker._private_jobs', 'graphile_worker._private_tasks'],
      },
    },
  ],
  [`POST ${admin}/support-cases/:caseId/notes`]: ({ caseId }) => [
    {
      url: `${admin}/support-cases/${caseId}/notes`,
      body: { body: 'We are looking.', status: 'investigating' },
      status: 201,
      left: {
        trail: 'its own',
        action: 'support_case.moved',
        data: { noteId: expect.any(String), from: 'open', to: 'investigating' },
        tables: [
          ...['countersign.support_cases', 'countersign.support_notes', 'countersign.live_events'],
          'countersign.task_changes',
        ],
      },
    },
  ],
}
