/** Says in words what a person is about to sign. */
import { formatEther, hexToString, isHex } from 'viem'

/** Lines of the panel: a name and a value. */
type Line = readonly [name: string, value: string]
export type Asked = { title: string; confirm: string; lines: Line[] }

const TEXT_MAX = 2_000

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text
}

type TypedData = {
  domain?: Record<string, unknown>
  primaryType?: string
  message?: Record<string, unknown>
}

export function typedDataWords({ domain = {}, primaryType, message = {} }: TypedData): Asked {
  const contract = domain.verifyingContract
  return {
    title: `Sign ${primaryType ?? 'typed data'}`,
    confirm: 'Sign',
    lines: [
      ...(domain.name ? [['For', shown(domain.name)] as const] : []),
      ...(contract ? [['Contract', shown(contract)] as const] : []),
      ...Object.entries(message).map(([name, value]) => [name, shown(value)] as const),
    ],
  }
}

export function messageWords(message: string): Asked {
  const text = isHex(message) ? hexToString(message) : message
  return { title: 'Sign a message', confirm: 'Sign', lines: [['Message', shown(text)]] }
}

export type Transaction = { to?: string; value?: string; data?: string; input?: string }

export function transactionWords({ to, value, data, input }: Transaction): Asked {
  const call = data ?? input ?? '0x'
  const wei = BigInt(value ?? 0)
  return {
    title: to ? 'Send a transaction' : 'Deploy a contract',
    confirm: 'Send',
    lines: [
      ...(to ? [['To', to] as const] : []),
      ...(wei > 0n || call === '0x' ? [['Amount', `${formatEther(wei)} test ETH`] as const] : []),
      ...(call === '0x'
        ? []
        : [['Data', `${call.slice(0, 10)}… (${call.length / 2 - 1} bytes)`] as const]),
    ],
  }
}
