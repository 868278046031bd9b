import { randomInt } from 'node:crypto'
import { requireFreePorts } from '#dev/free-ports.ts'

/**
 * Below the range from which the kernel takes ports of outgoing connections: a node binds its port
 * again after every fault, and nobody else must have taken it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    const isFree = await requireFreePorts([{ name: 'PORT', host: '127.0.0.1', port }]).then(
      () => true,
      () => false,
    )
    if (isFree) return port
  }
}
