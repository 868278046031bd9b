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
            'For any member. The default vault with its policy, balance and remaining allowance, ' +
            'as of the block that `asOfBlock` names. Read from the database, so it answers while ' +
            'the chain is unavailable. `GET …/vaults/{vaultId}` shows other vaults in more detail.',
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
          description:
            'For any member. The sum of the payments that the vaults of the organization have ' +
            "made to the caller's own wallets, in final blocks. It is not the balance of these " +
            'wallets, and transfers from elsewhere are not counted.',
          tags: ['treasury'],
          params: OrganizationParams,
          response: answers(200, component(MemberFundsSchema), [401, 403]),
        },
      },
      async (request) => readMemberFunds(ctx, { member: memberOf(request) }),
    )

    await vaultRoutes(ctx)(app, {})
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
          description:
            'For any member. Vaults of every status, archived ones included, newest first. ' +
            'Expenses can be paid from those that are `verified` and not archived.',
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
            'For any member. A vault with its balance, what is reserved and available, its ' +
            "policy with all addresses, and how the policy differs from the organization's " +
            'active recipients and approvers; as of the block that `asOfBlock` names. If it ' +
            'differs, prepare a new policy with `POST …/vaults/{vaultId}/policy-intents/prepare`.',
          tags: ['treasury'],
          params: VaultParams,
          response: answers(200, component(VaultDetailSchema), [401, 403, 404], {
            not_found: 'The organization has no such vault.',
          }),
          'x-extension': true,
        },
      },
      async (request) => {
        const { vaultId } = request.params
        return readVault(ctx, { member: memberOf(request), vaultId })
      },
    )

    await registrationRoutes(ctx)(app, {})
    await arrangeRoutes(ctx)(app, {})
  }

const registrationRoutes =
  (ctx: TreasuryContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/vault`,
      {
        schema: {
          operationId: 'registerVault',
          summary: 'Register a vault',
          description:
            'For owners. Registers a vault that already exists on chain, after checking its ' +
            'code, its owner and its deployment. If the deployment is not final yet, the status ' +
            'is `pending` and a job checks again for up to 24 hours. The first verified vault ' +
            'becomes the default. Next, prepare its policy with `POST ' +
            '…/vaults/{vaultId}/policy-intents/prepare`.',
          tags: ['treasury'],
          params: OrganizationParams,
          body: RegisterVaultBody,
          response: answers(201, component(VaultSchema), [400, 401, 403, 409], {
            treasury_owner_required:
              'No wallet has the role `treasury_owner`, or only server wallets have it.',
            transaction_failed: 'The deployment was reverted.',
            transaction_mismatch:
              'It did not create this vault, or somebody other than the owner of the vault sent ' +
              'it.',
            vault_unverified:
              'The contract is not a genuine vault of this organization, or a server wallet owns ' +
              'it.',
            duplicate: 'The vault is registered already.',
          }),
        },
      },
      async (request, reply) => {
        const { label = LABEL_DEFAULT, ...body } = request.body
        const vault = await registerVault(ctx, { actor: memberOf(request), label, ...body })
        return reply.code(201).send(toVaultRecord(vault))
      },
    )
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
            'For owners. Makes it the vault that `GET …/overview` shows, in place of the one ' +
            'that was the default. It does not change which vault an existing expense is paid ' +
            'from.',
          tags: ['treasury'],
          params: VaultParams,
          response: answers(200, component(VaultSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such vault.',
            vault_archived: 'The vault is archived.',
            vault_unverified: 'The vault is not verified yet, or it is disabled.',
            state_conflict: 'The vault is the default already.',
          }),
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
            'For owners. No expense can be paid from the vault any more, and no operation undoes ' +
            'this. It changes nothing on chain: the owner can still withdraw what it holds.',
          tags: ['treasury'],
          params: VaultParams,
          response: answers(200, component(VaultSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such vault.',
            vault_archived: 'The vault is archived already.',
            state_conflict:
              'It is the default vault, or one of its policy changes or payments is not settled.',
          }),
        },
      },
      async (request) => {
        const { vaultId } = request.params
        return toVaultRecord(await archiveVault(ctx, { actor: memberOf(request), vaultId }))
      },
    )
  }
