/** Contracts that only tests use, compiled on demand. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Abi, type Address, encodeDeployData, type Hex } from 'viem'
import type { Bench } from '#test/chain/bench.ts'

const require = createRequire(import.meta.url)

type Compiled = { abi: Abi; evm: { bytecode: { object: string } } }
type Output = { contracts: Record<string, Record<string, Compiled>>; errors?: unknown[] }
export type Mock = { abi: Abi; bytecode: Hex }

const source = async (path: string) => ({ content: await readFile(path, 'utf8') })

export async function compileMocks(files: readonly string[]): Promise<Record<string, Mock>> {
  const solc = require('solc') as { compile(input: string): string }
  const interfaceOf = '@openzeppelin/contracts/interfaces/IERC1271.sol'
  const mocks = files.map(async (file) => [file, await source(`contracts/test/mocks/${file}.sol`)])
  const sources = {
    ...Object.fromEntries(await Promise.all(mocks)),
    [interfaceOf]: await source(require.resolve(interfaceOf)),
  }
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object'] } }
  const settings = { evmVersion: 'cancun', outputSelection }
  const output: Output = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })),
  )
  const all = Object.values(output.contracts).flatMap((contracts) => Object.entries(contracts))
  return Object.fromEntries(
    all.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
  )
}

export async function deployMock(
  bench: Bench,
  mock: Mock | undefined,
  args: readonly unknown[] = [],
): Promise<Address> {
  if (!mock) throw new Error('There is no such mock')
  const data = encodeDeployData({ ...mock, args })
  const { contractAddress } = await bench.send(bench.owner, { to: null, data })
  if (!contractAddress) throw new Error('The mock was not deployed')
  return contractAddress
}
