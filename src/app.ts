/** The HTTP application: shared plugins, then the routes of every module, as an explicit list. */
import helmet from '@fastify/helmet'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { registerAccess } from '#access/guard.ts'
import { accountingRoutes } from '#accounting/accounting.routes.ts'
import { adminOrganizationRoutes, adminRoutes } from '#admin/admin.routes.ts'
import { adminComponents } from '#admin/admin.schema.ts'
import { integrationRoutes } from '#admin/integrations.routes.ts'
import { integrationComponents } from '#admin/integrations.schema.ts'
import { analysisRoutes } from '#analysis/analysis.routes.ts'
import { analysisComponents } from '#analysis/analysis.schema.ts'
import { approvalRoutes } from '#approvals/approvals.routes.ts'
import { approvalComponents } from '#approvals/approvals.schema.ts'
import { attachmentRoutes } from '#attachments/attachments.routes.ts'
import { attachmentComponents } from '#attachments/attachments.schema.ts'
import { auditRoutes } from '#audit/audit.routes.ts'
import { auditComponents } from '#audit/audit.schema.ts'
import { clientConfigRoutes } from '#client-config/client-config.routes.ts'
import { clientConfigComponents } from '#client-config/client-config.schema.ts'
import type { Context } from '#context.ts'
import { emailRoutes } from '#email/email.routes.ts'
import { emailComponents } from '#email/email.schema.ts'
import { executorRoutes } from '#executor/executor.routes.ts'
import { executorComponents } from '#executor/executor.schema.ts'
import { categoryRoutes } from '#expenses/categories.routes.ts'
import { categoryComponents } from '#expenses/categories.schema.ts'
import { expenseRoutes } from '#expenses/expenses.routes.ts'
import { expenseComponents } from '#expenses/expenses.schema.ts'
import { fundingRoutes } from '#funding/funding.routes.ts'
import { fundingComponents } from '#funding/funding.schema.ts'
import { healthRoutes } from '#health/health.routes.ts'
import { registerCors } from '#http/cors.ts'
import { registerDocs } from '#http/docs.ts'
import { answerBadPath, registerErrorHandler } from '#http/error-handler.ts'
import { registerHeadRequests } from '#http/head-requests.ts'
import { BODY_MAX_BYTES, registerJsonBody } from '#http/json-body.ts'
import { registerOpenApi } from '#http/openapi.ts'
import { createRateLimits, type RateLimits } from '#http/rate-limits.ts'
import { registerRequestLog, requestIdOf } from '#http/requests.ts'
import { buildSerializer } from '#http/serializers.ts'
import {
  answerBrokenRequest,
  CLIENT_LIMITS,
  type ClientLimits,
  registerSlowClients,
  registerUploadLimit,
} from '#http/slow-clients.ts'
import { registerValidation } from '#http/validators.ts'
import { identityRoutes } from '#identity/identity.routes.ts'
import { identityComponents } from '#identity/identity.schema.ts'
import { ledgerProofRoutes } from '#ledger-proofs/ledger-proofs.routes.ts'
import { ledgerProofComponents } from '#ledger-proofs/ledger-proofs.schema.ts'
import { liveComponents } from '#live/live.schema.ts'
import { createWaiting } from '#live/read-tasks.ts'
import { snapshotRoutes } from '#live/snapshot.routes.ts'
import { streamRoutes } from '#live/stream.routes.ts'
import { invitationRoutes } from '#organizations/invitations.routes.ts'
import { organizationRoutes } from '#organizations/organizations.routes.ts'
import { organizationComponents } from '#organizations/organizations.schema.ts'
import { recipientRoutes } from '#organizations/recipients.routes.ts'
import { paymentRoutes } from '#payments/payments.routes.ts'
import { paymentComponents } from '#payments/payments.schema.ts'
import { unrecordedPaymentRoutes } from '#payments/unrecorded-payments.routes.ts'
import { unrecordedPaymentComponents } from '#payments/unrecorded-payments.schema.ts'
import { preferenceRoutes } from '#push/preferences.routes.ts'
import { preferenceComponents } from '#push/preferences.schema.ts'
import { pushRoutes } from '#push/push.routes.ts'
import { pushComponents } from '#push/push.schema.ts'
import { supportRoutes } from '#support/support.routes.ts'
import { supportComponents } from '#support/support.schema.ts'
import { intentRoutes } from '#treasury/intents.routes.ts'
import { intentComponents } from '#treasury/intents.schema.ts'
import { treasuryRoutes } from '#treasury/treasury.routes.ts'
import { treasuryComponents } from '#treasury/treasury.schema.ts'
import { exportRoutes } from '#wallets/exports.routes.ts'
import { linkRoutes } from '#wallets/links.routes.ts'
import { walletRoutes } from '#wallets/wallets.routes.ts'
import { walletComponents } from '#wallets/wallets.schema.ts'
import { webhookRoutes } from '#webhooks/webhooks.routes.ts'
import { webhookComponents } from '#webhooks/webhooks.schema.ts'

const HEADERS_MAX_BYTES = 16 * 1024
const CHECK_TIMEOUTS_EVERY_MS = 1_000

/** To name a plugin without this, Fastify compares it with every module that is loaded. */
const PLUGIN_NAME = Symbol.for('fastify.display-name')

const components = [
  ...walletComponents,
  ...identityComponents,
  ...organizationComponents,
  ...auditComponents,
  ...executorComponents,
  ...treasuryComponents,
  ...intentComponents,
  ...attachmentComponents,
  ...categoryComponents,
  ...expenseComponents,
  ...analysisComponents,
  ...paymentComponents,
  ...unrecordedPaymentComponents,
  ...approvalComponents,
  ...fundingComponents,
  ...integrationComponents,
  ...ledgerProofComponents,
  ...supportComponents,
  ...adminComponents,
  ...liveComponents,
  ...pushComponents,
  ...clientConfigComponents,
  ...preferenceComponents,
  ...emailComponents,
  ...webhookComponents,
]

type Lifecycle = {
  /** The process is stopping: it still answers, but load balancers should stop routing to it. */
  isDraining(): boolean
}

/**
 * For routes with a hook or parser of their own, which would otherwise apply to all others.
 * Enclosing every module takes a third of the time at start.
 */
const enclosed =
  (routes: FastifyPluginAsyncTypebox): FastifyPluginAsyncTypebox =>
  async (app) => {
    await app.register(Object.assign(routes, { [PLUGIN_NAME]: 'routes' }))
  }

const moduleRoutes = (ctx: Context, limits: RateLimits, life: Lifecycle) => [
  healthRoutes(ctx, life),
  identityRoutes(ctx),
  walletRoutes(ctx),
  exportRoutes(ctx),
  linkRoutes(ctx),
  organizationRoutes(ctx),
  invitationRoutes(ctx, limits),
  recipientRoutes(ctx),
  auditRoutes(ctx, limits),
  executorRoutes(ctx),
  treasuryRoutes(ctx),
  intentRoutes(ctx),
  enclosed(attachmentRoutes(ctx)),
  categoryRoutes(ctx),
  expenseRoutes(ctx, createWaiting(ctx)),
  analysisRoutes(ctx),
  approvalRoutes(ctx),
  paymentRoutes(ctx),
  unrecordedPaymentRoutes(ctx),
  accountingRoutes(ctx, limits),
  fundingRoutes(ctx),
  integrationRoutes(ctx),
  enclosed(ledgerProofRoutes(ctx)),
  supportRoutes(ctx),
  adminRoutes(ctx),
  adminOrganizationRoutes(ctx),
  snapshotRoutes(ctx),
  pushRoutes(ctx),
  preferenceRoutes(ctx),
  emailRoutes(ctx, limits),
  webhookRoutes(ctx),
  streamRoutes(ctx),
  clientConfigRoutes(ctx),
]

export async function buildApp(
  ctx: Context,
  life: Lifecycle = { isDraining: () => false },
  limitsOfClients: ClientLimits = CLIENT_LIMITS,
): Promise<FastifyInstance> {
  const { requestMs, uploadMs, idleMs, lingerMs } = limitsOfClients
  const { tracing } = ctx.config
  const app = fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request would live as long as its stream, and few requests log anything; a
    // line that needs it names the request id itself.
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => requestIdOf(request, ctx, tracing),
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: uploadMs,
    connectionTimeout: idleMs,
    http: {
      // Node applies the larger value to the whole request and the smaller to its headers, and its
      // default for headers is one minute.
      headersTimeout: requestMs,
      // `registerSlowClients` sets the shorter limit of all requests except uploads.
      requestTimeout: uploadMs,
      // Node checks for slow requests only every 30 s by default.
      maxHeaderSize: HEADERS_MAX_BYTES,
      connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
      // Node would answer by itself, without the error envelope; nothing here depends on the host.
      requireHostHeader: false,
    },
    trustProxy: (_address, hop) => hop < ctx.config.trustedProxies,
    // Requests that arrive while stopping are still answered; their sockets close afterwards.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADERS_MAX_BYTES },
    serializerOpts: { largeArrayMechanism: 'json-stringify' },
    schemaController: { compilersFactory: { buildSerializer } },
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, { ids: ctx.ids, lingerMs }),
    frameworkErrors: answerBadPath,
  })

  // Ignores unknown Expect headers instead of rejecting them with Node's own message.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )
  registerErrorHandler(app)
  registerRequestLog(app, ctx, tracing)
  registerSlowClients(app, limitsOfClients)
  registerHeadRequests(app)
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { 'default-src': ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'same-site' },
  })
  await registerCors(app, { origins: ctx.config.origins.cors })
  const limits = createRateLimits(ctx)
  await registerOpenApi(app, { components })
  registerValidation(app)
  registerAccess(app, { ctx, limits })
  registerUploadLimit(app, limitsOfClients)
  registerJsonBody(app)
  registerDocs(app, { page: ctx.config.docs })

  for (const routes of moduleRoutes(ctx, limits, life)) await routes(app, {})
  return app
}
