/** The document itself, and a page to browse it that works without a network. */
import type { FastifyInstance } from 'fastify'

// Scalar styles its page inline and builds workers from blobs; nothing may come from elsewhere.
const DOCS_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; worker-src blob:; base-uri 'none'; frame-ancestors 'none'"

export async function registerDocs(app: FastifyInstance, { page }: { page: boolean }) {
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  if (!page) return
  const { default: reference } = await import('@scalar/fastify-api-reference')
  await app.register(async (docs) => {
    docs.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', DOCS_CSP)
    })
    await docs.register(reference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Countersign API',
        withDefaultFonts: false,
        telemetry: false,
        showDeveloperTools: 'never',
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    })
  })
}
