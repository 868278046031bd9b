/** Compiles wrong vaults in threads, a compiler in each: it takes longer than the tests. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

const ROOT = join(import.meta.dirname, '../..')
const ENTRY = 'contracts/src/CountersignVault.sol'

export type Wrong = { file: string; source: string }
export type Code = { bytecode: string; deployedBytecode: string }

export type Compiler = {
  /** Null when the compiler refuses it. One at a time. */
  compile(wrong: Wrong): Promise<Code | null>
  close(): Promise<unknown>
}

export function startCompiler(): Compiler {
  const worker = new Worker(new URL(import.meta.url))
  return {
    async compile({ file, source }) {
      worker.postMessage({ file, source })
      const [code] = await once(worker, 'message')
      return code
    },
    close: () => worker.terminate(),
  }
}

type Solc = { compile(input: string, callbacks: { import(path: string): object }): string }

function compileHere(solc: Solc, { file, source }: Wrong): Code | null {
  const read = (path: string): string => {
    if (path === `contracts/src/${file}`) return source
    return readFileSync(join(ROOT, path.startsWith('@') ? 'node_modules' : '', path), 'utf8')
  }
  const input = {
    language: 'Solidity',
    sources: { [ENTRY]: { content: read(ENTRY) } },
    settings: {
      viaIR: true,
      evmVersion: 'cancun',
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { [ENTRY]: { CountersignVault: ['evm.bytecode', 'evm.deployedBytecode'] } },
    },
  }
  const callbacks = { import: (path: string) => ({ contents: read(path) }) }
  const output = JSON.parse(solc.compile(JSON.stringify(input), callbacks))
  const evm = output.contracts?.[ENTRY]?.CountersignVault?.evm
  if (!evm?.bytecode.object) return null
  return {
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
  }
}

if (!isMainThread) {
  const solc: Solc = createRequire(import.meta.url)('solc')
  parentPort?.on('message', (wrong: Wrong) => parentPort?.postMessage(compileHere(solc, wrong)))
}
