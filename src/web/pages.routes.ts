/** The application's files, and its page for every other path that a person may open. */
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'
import type { Pages, ServedPage } from './pages.ts'

/** Their names contain a hash of their content. */
const isHashed = (path: string): boolean => path.startsWith('/assets/')

const acceptsHtml = ({ headers }: FastifyRequest): boolean =>
  (headers.accept ?? '').toLowerCase().includes('text/html')

const accepts = ({ headers }: FastifyRequest, encoding: string): boolean =>
  String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .some(
      (part) => part.trim().split(';')[0] === encoding && !/;\s*q=0(?:\.0*)?$/.test(part.trim()),
    )

function sendPage(request: FastifyRequest, reply: FastifyReply, page: ServedPage): FastifyReply {
  const etag = `W/"${page.etag}"`
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('vary', 'accept-encoding, accept')
    .header('etag', etag)
    .header('content-security-policy', page.policy)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  if (accepts(request, 'br')) return reply.header('content-encoding', 'br').send(page.brotli)
  if (accepts(request, 'gzip')) return reply.header('content-encoding', 'gzip').send(page.gzip)
  return reply.send(page.html)
}

/** The path that a browser means; undefined for one that no build has. */
function fileOf(request: FastifyRequest): string | undefined {
  const [path = ''] = (request.raw.url ?? '').split('?')
  const isPlain = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(path)
  return isPlain && /\.[a-z0-9]+$/i.test(path) && !/\.html$/i.test(path) ? path : undefined
}

type PageOptions = {
  root: string
  pages: Pages
  /** Development only: where a person must go who opened another name of this machine. */
  elsewhere?: ((request: FastifyRequest) => string | undefined) | undefined
}

export const pageRoutes =
  ({ root, pages, elsewhere }: PageOptions): FastifyPluginAsync =>
  async (app) => {
    await app.register(fastifyStatic, {
      root,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      suppressWarning: true,
    } as never)

    app.get('/verify', async (request, reply) => {
      const page = pages.verify()
      return sendPage(request, reply, page ?? pages.index())
    })

    app.get('/*', async (request, reply) => {
      const file = fileOf(request)
      if (file !== undefined) {
        const policy = isHashed(file) ? 'public, max-age=31536000, immutable' : 'no-cache'
        reply.header('cache-control', policy)
        return reply.sendFile(file.slice(1))
      }
      if (!acceptsHtml(request)) throw new AppError('not_found', { message: 'No such file.' })
      const other = elsewhere?.(request)
      if (other !== undefined) return reply.redirect(other, 302)
      return sendPage(request, reply, pages.index())
    })
  }
