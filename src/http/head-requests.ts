/** HEAD is answered wherever GET is, with the same headers. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Fastify would read a streamed answer to its end: whole files and exports, for nobody. */
export function registerHeadRequests(app: FastifyInstance): void {
  app.addHook('onSend', async ({ method }, _reply, payload) => {
    if (method !== 'HEAD' || !(payload instanceof Readable)) return payload
    payload.destroy()
    return Readable.from([])
  })
}
