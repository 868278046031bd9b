/** A model on loopback that answers only when told to. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { soundOpinion } from '#test/support/model-endpoint.ts'

export type PatientModel = {
  /** The value of `ANALYST_URL`. */
  url: string
  /** Whether a request about a purpose with these words is waiting. */
  isAskedOf(words: string): boolean
  /** Each waiting request with these words. */
  answer(words: string): void
  /** From now on every request is answered immediately. */
  answerAtOnce(): void
  stop(): Promise<void>
}

const completion = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'emulated-0001',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: JSON.stringify(soundOpinion) },
    },
  ],
  usage: { prompt_tokens: 300, completion_tokens: 40, total_tokens: 340 },
})

const send = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(completion)

export async function startPatientModel(): Promise<PatientModel> {
  let waiting: { question: string; response: ServerResponse }[] = []
  let isPatient = true
  const server = createServer((request, response) => {
    let question = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      question += text
    })
    request.on('end', () => {
      if (isPatient) waiting.push({ question, response })
      else send(response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const about = (words: string) => waiting.filter(({ question }) => question.includes(words))
  return {
    url: `http://127.0.0.1:${port}/v1`,
    isAskedOf: (words) => about(words).length > 0,
    answer(words) {
      const answered = about(words)
      waiting = waiting.filter((one) => !answered.includes(one))
      for (const { response } of answered) send(response)
    },
    answerAtOnce() {
      isPatient = false
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
