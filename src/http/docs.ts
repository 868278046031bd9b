/** Serves the OpenAPI document and a self-hosted page to browse it. */
import fastify, { type FastifyInstance } from 'fastify'
import { sha256 } from '#platform/digest.ts'
import { isKnown } from './if-none-match.ts'

// Scalar uses inline styles and creates workers from blob URLs. Everything else is same-origin
// only.
const DOCS_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; worker-src blob:; base-uri 'none'; frame-ancestors 'none'"

/** Client cache lifetime. The document changes only with a release. */
const DOCUMENT_MAX_AGE_SECONDS = 300

type SerializedDocument = { bytes: Buffer; tag: string }

/** Serialises the document once per process, on the first request. */
function serveDocument(app: FastifyInstance): void {
  let cached: SerializedDocument | undefined
  const read = (): SerializedDocument => {
    if (cached) return cached
    const bytes = Buffer.from(JSON.stringify(app.swagger()))
    cached = { bytes, tag: `"${sha256(bytes).toString('base64url').slice(0, 27)}"` }
    return cached
  }
  app.get('/openapi.json', { schema: { hide: true } }, (request, reply) => {
    const { bytes, tag } = read()
    reply.headers({ etag: tag, 'cache-control': `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}` })
    if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(bytes)
  })
}

/** Loaded with the first page: it is megabytes, and most processes never show one. */
async function openReference(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const pages = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await pages.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Countersign API',
      // Otherwise browsers ask for /favicon.ico.
      favicon: 'data:,',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  return pages
}

export function registerDocs(app: FastifyInstance, { page }: { page: boolean }): void {
  serveDocument(app)
  if (!page) return
  let opening: Promise<FastifyInstance> | undefined
  for (const path of ['/docs/', '/docs/js/scalar.js']) {
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      opening ??= openReference()
      const { statusCode, headers, rawPayload } = await (await opening).inject(request.url)
      reply.code(statusCode).type(headers['content-type'] ?? 'text/html')
      if (headers.location) reply.header('location', headers.location)
      return reply.header('content-security-policy', DOCS_CSP).send(rawPayload)
    })
  }
}
