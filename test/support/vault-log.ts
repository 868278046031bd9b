/** A log as the vault writes it. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type AbiEvent,
  type ContractEventName,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
} from 'viem'

export type VaultEventName = ContractEventName<typeof vaultAbi>

const events = vaultAbi.filter((item) => item.type === 'event') as readonly AbiEvent[]

export function vaultLogOf(eventName: VaultEventName, args: Record<string, unknown>) {
  const plain =
    events.find(({ name }) => name === eventName)?.inputs.filter(({ indexed }) => !indexed) ?? []
  const topics = encodeEventTopics({ abi: vaultAbi, eventName, args } as never) as Hex[]
  const values = plain.map(({ name = '' }) => args[name])
  return { topics, data: encodeAbiParameters(plain, values) }
}
