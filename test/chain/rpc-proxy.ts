/** A node in front of the local chain that can lag, lie, fail and fall silent. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

// biome-ignore lint/suspicious/noExplicitAny: answers of a node are tampered with as they come
type Json = any

/** `path` of the requested URL, which can distinguish callers. */
export type RpcCall = { method: string; params: Json[]; path: string }

/** Sent instead of a result. An `"id":1` in the text is replaced by the request's id. */
export type Trouble = { status: number; text: string } | 'silence' | 'stall' | 'hang up'

export type RpcProxy = {
  url: string
  calls: string[]
  /** Given the call and the honest result, returns the answer. */
  tamper: (call: RpcCall, result: Json) => Json
  /** When it returns something, the chain is not asked. */
  trouble: (call: RpcCall) => Trouble | undefined
  /** Answers honestly again. */
  heal(): void
  stop(): Promise<void>
}

/** Costs half of what `fetch` does. */
const post = (url: string, text: string): Promise<Json> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': text.length }
    const sent = request(url, { method: 'POST', headers }, (response) => {
      json(response).then(resolve, reject)
    })
    sent.on('error', reject)
    sent.end(text)
  })

export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const { url: path = '' } = incoming
    const call: RpcCall = { method: asked.method, params: asked.params ?? [], path }
    proxy.calls.push(call.method)
    const trouble = proxy.trouble(call)
    if (trouble === 'silence') return
    if (trouble === 'hang up') return void response.destroy()
    response.setHeader('content-type', 'application/json')
    if (trouble === 'stall') return void response.write('{"jsonrpc":"2.0","id":1,')
    if (trouble) {
      const text = trouble.text.replace('"id":1', `"id":${asked.id}`)
      return void response.writeHead(trouble.status).end(text)
    }
    const body: Json = await post(target, JSON.stringify(asked))
    if (body.error === undefined) body.result = proxy.tamper(call, body.result)
    response.end(JSON.stringify(body))
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    tamper: (_call, result) => result,
    trouble: () => undefined,
    heal() {
      proxy.tamper = (_call, result) => result
      proxy.trouble = () => undefined
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return proxy
}
