/** HEAD is answered wherever GET is, with the same headers. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Fastify would read a streamed answer to its end: whole files and exports, for nobody. */
export function registerHeadRequests(app: FastifyInstance): void {
  app.addHook('onSend', ({ method }, _reply, payload, done) => {
    if (method !== 'HEAD' || !(payload instanceof Readable)) return done(null, payload)
    payload.destroy()
    done(null, Readable.from([]))
  })
}
