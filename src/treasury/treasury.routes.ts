/** Routes for the overview, member funds and vaults. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import { archiveVault, setDefaultVault } from './arrange-vaults.ts'
import { readMemberFunds, readOverview, readVaults } from './overview.ts'
import { readVault } from './read-vault.ts'
import { registerVault } from './register-vault.ts'
import {
  MemberFundsSchema,
  OverviewSchema,
  RegisterVaultBody,
  VaultDetailSchema,
  VaultListSchema,
  VaultParams,
  VaultSchema,
} from './treasury.schema.ts'
import { toVaultRecord } from './vault.ts'

const org = '/v1/consumer/organizations/:organizationId'
const LABEL_DEFAULT = 'Primary vault'

type TreasuryContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'log'>

export const treasuryRoutes =
  (ctx: TreasuryContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/overview`,
      {
        schema: {
          operationId: 'getTreasuryOverview',
          summary: 'Get the treasury overview',
          description:
            'The default vault with its policy, balance and remaining allowance, as of the block ' +
            'that `asOfBlock` names.',
          tags: ['treasury'],
          params: OrganizationParams,
          response: answers(200, component(OverviewSchema), [401, 403]),
        },
      },
      async (request) => readOverview(ctx, { member: memberOf(request) }),
    )

    app.get(
      `${org}/member-funds`,
      {
        schema: {
          operationId: 'getMemberFunds',
          summary: 'Get own received funds',
          description: 'Confirmed payments of the organization to wallets of the caller.',
          tags: ['treasury'],
          params: OrganizationParams,
          response: answers(200, component(MemberFundsSchema), [401, 403]),
        },
      },
      async (request) => readMemberFunds(ctx, { member: memberOf(request) }),
    )

    await app.register(vaultRoutes(ctx))
  }

const vaultRoutes =
  (ctx: TreasuryContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/vaults`,
      {
        schema: {
          operationId: 'listVaults',
          summary: 'List vaults',
          description: 'Active and archived vaults, newest first.',
          tags: ['treasury'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, VaultListSchema, [401, 403]),
        },
      },
      async (request) => {
        const page = readPage(request.query)
        const { items, nextCursor } = await readVaults(ctx, { member: memberOf(request), page })
        return { vaults: items, nextCursor }
      },
    )

    app.get(
      `${org}/vaults/:vaultId`,
      {
        schema: {
          operationId: 'getVault',
          summary: 'Get a vault',
          description:
            'A vault with its balance, what is reserved and available, its policy with all ' +
            "addresses, and how the policy differs from the organization's active recipients " +
            'and approvers; as of the block that `asOfBlock` names.',
          tags: ['treasury'],
          params: VaultParams,
          response: answers(200, component(VaultDetailSchema), [401, 403, 404]),
          'x-extension': true,
        },
      },
      async (request) => {
        const { vaultId } = request.params
        return readVault(ctx, { member: memberOf(request), vaultId })
      },
    )

    app.post(
      `${org}/vault`,
      {
        schema: {
          operationId: 'registerVault',
          summary: 'Register a vault',
          description:
            'For owners. Registers a vault that already exists on chain. Until its deployment is ' +
            'final and verified, its status is `pending`.',
          tags: ['treasury'],
          params: OrganizationParams,
          body: RegisterVaultBody,
          response: answers(201, component(VaultSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const { label = LABEL_DEFAULT, ...body } = request.body
        const vault = await registerVault(ctx, { actor: memberOf(request), label, ...body })
        return reply.code(201).send(toVaultRecord(vault))
      },
    )

    await app.register(arrangeRoutes(ctx))
  }

const arrangeRoutes =
  (ctx: TreasuryContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/vaults/:vaultId/default`,
      {
        schema: {
          operationId: 'setDefaultVault',
          summary: 'Set the default vault',
          description:
            'For owners. Answers 409 if the vault is archived, unverified or the default.',
          tags: ['treasury'],
          params: VaultParams,
          response: answers(200, component(VaultSchema), [401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { vaultId } = request.params
        return toVaultRecord(await setDefaultVault(ctx, { actor: memberOf(request), vaultId }))
      },
    )

    app.post(
      `${org}/vaults/:vaultId/archive`,
      {
        schema: {
          operationId: 'archiveVault',
          summary: 'Archive a vault',
          description:
            'For owners. Answers 409 for the default vault, and while a policy change or payment ' +
            'of the vault is unsettled.',
          tags: ['treasury'],
          params: VaultParams,
          response: answers(200, component(VaultSchema), [401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { vaultId } = request.params
        return toVaultRecord(await archiveVault(ctx, { actor: memberOf(request), vaultId }))
      },
    )
  }
