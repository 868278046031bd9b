/** What the gateway says about this deployment of the pages. */
import { useQuery } from '@tanstack/react-query'
import { GATEWAY_HEADER } from '../early/begun.ts'

export type Deployment = { buildHash: string | null; isDevelopment: boolean }

const UNKNOWN: Deployment = { buildHash: null, isDevelopment: false }

/** It is for people who compare builds; a page without it works all the same. */
async function readDeployment(): Promise<Deployment> {
  try {
    const response = await fetch('/config.json', { headers: GATEWAY_HEADER })
    const { buildHash, isDevelopment } = (await response.json()) as Record<string, unknown>
    return {
      buildHash: typeof buildHash === 'string' ? buildHash : null,
      isDevelopment: isDevelopment === true,
    }
  } catch {
    return UNKNOWN
  }
}

export const useDeployment = (): Deployment =>
  useQuery({ queryKey: ['deployment'], queryFn: readDeployment, staleTime: Infinity }).data ??
  UNKNOWN
