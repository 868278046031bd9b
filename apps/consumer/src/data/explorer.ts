/** Addresses of the block explorer, where the deployment has one. */
import type { OpenOrganization } from './organization.tsx'

type Config = Pick<OpenOrganization, 'config'>['config']

export const transactionUrl = ({ chain }: Config, hash: string): string | undefined =>
  chain.explorer?.transactionUrl.replace('{transactionHash}', hash)

export const addressUrl = ({ chain }: Config, address: string): string | undefined =>
  chain.explorer?.addressUrl.replace('{address}', address)
