/** The demo organization of `npm start`. Elsewhere these addresses do not exist. */

import { GATEWAY_HEADER } from '@countersign/app-kit/early/begun.ts'
import { useQuery } from '@tanstack/react-query'

export type Demo =
  | { state: 'none' | 'unavailable' }
  | { state: 'furnishing'; chapter: string }
  | { state: 'failed'; message: string }
  /** `today`: the chain had been used before, so everything in the organization is of one day. */
  | { state: 'ready'; organizationId: string; name: string; history: 'months' | 'today' }

const POLL_EVERY_MS = 1_000

async function ask<Answer>(path: string, method = 'GET'): Promise<Answer> {
  const response = await fetch(path, { method, headers: GATEWAY_HEADER })
  if (!response.ok) throw new Error(`The gateway answered ${response.status}.`)
  return (await response.json()) as Answer
}

async function readDemo(): Promise<Demo> {
  const { isDevelopment } = await ask<{ isDevelopment: boolean }>('/config.json')
  return isDevelopment ? ask<Demo>('/dev/demo') : { state: 'unavailable' }
}

export const useDemo = () =>
  useQuery({
    queryKey: ['demo'],
    queryFn: readDemo,
    refetchInterval: ({ state }) => (state.data?.state === 'furnishing' ? POLL_EVERY_MS : false),
  })

export const furnishDemo = (): Promise<Demo> => ask<Demo>('/dev/demo', 'POST')

export const joinDemo = (): Promise<{ organizationId: string }> => ask('/dev/demo/join', 'POST')
