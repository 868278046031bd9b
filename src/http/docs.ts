/** The OpenAPI document, and a page to browse it that works without a network. */
import type { FastifyInstance } from 'fastify'
import { sha256 } from '#platform/digest.ts'
import { isKnown } from './if-none-match.ts'

// Scalar styles its page inline and builds workers from blobs; nothing may come from elsewhere.
const DOCS_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; worker-src blob:; base-uri 'none'; frame-ancestors 'none'"

/** How long clients may cache the document, which only changes with a release. */
const DOCUMENT_MAX_AGE_SECONDS = 300

type Served = { bytes: Buffer; tag: string }

/** Serialised once per process, at the first request. */
function serveDocument(app: FastifyInstance): void {
  let served: Served | undefined
  const read = (): Served => {
    if (served) return served
    const bytes = Buffer.from(JSON.stringify(app.swagger()))
    served = { bytes, tag: `"${sha256(bytes).toString('base64url').slice(0, 27)}"` }
    return served
  }
  app.get('/openapi.json', { schema: { hide: true } }, (request, reply) => {
    const { bytes, tag } = read()
    reply.headers({ etag: tag, 'cache-control': `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}` })
    if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(bytes)
  })
}

export async function registerDocs(app: FastifyInstance, { page }: { page: boolean }) {
  serveDocument(app)
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
