import type { FastifyReply } from 'fastify'

/** Sends JSON that is rendered already; Fastify serialises only what is not text. */
export function sendRendered<Reply extends Pick<FastifyReply, 'type'>>(
  reply: Reply,
  json: string,
): Reply {
  const rendered = reply.type('application/json; charset=utf-8') as FastifyReply
  rendered.send(json)
  return reply
}
