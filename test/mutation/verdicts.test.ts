/** Which verdicts about wrong vaults still stand after a change. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openVerdicts } from '#mutation/vault/verdicts.ts'
import type { Verdict } from '#mutation/vault/workspace.ts'

const FILES = {
  'hardhat.config.ts': 'runs: 8',
  'contracts/src/Vault.sol': 'contract Vault {}',
  'contracts/test/base/VaultTest.sol': 'abstract contract VaultTest {}',
  'contracts/test/Vault/pay.t.sol': 'function test_pay_reverts() external {}',
  'contracts/test/Vault/veto.t.sol': 'function test_veto_reverts() external {}',
  'contracts/test/invariants/vault.t.sol': 'function invariant_holds() external {}',
}
type Path = keyof typeof FILES

const VERDICTS: Record<string, Verdict> = {
  'killed by pay': { outcome: 'killed', tests: ['test_pay_reverts'], promise: null },
  'killed by the invariants': { outcome: 'killed', tests: ['invariant_holds'], promise: 'I1' },
  'killed in setUp': { outcome: 'killed', tests: ['setUp'], promise: null },
  survived: { outcome: 'survived', tests: [], promise: null },
  'not compiling': { outcome: 'invalid', tests: [], promise: null },
}

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

/** The verdicts that still stand after a change of the file. */
async function standAfter(path: Path | null): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-verdicts-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(FILES)) await write(folder, name, text)
  const before = await openVerdicts(folder)
  for (const [id, verdict] of Object.entries(VERDICTS)) await before.add(id, verdict)
  if (path) await write(folder, path, `${FILES[path]} // changed`)
  const after = await openVerdicts(folder)
  return Object.keys(VERDICTS).filter((id) => after.find(id) !== undefined)
}

const all = Object.keys(VERDICTS)
const except = (...ids: string[]) => all.filter((id) => !ids.includes(id))

test('all stand without a change', async () => {
  expect(await standAfter(null)).toEqual(all)
})

test.each<[Path, string[]]>([
  ['contracts/src/Vault.sol', []],
  ['hardhat.config.ts', []],
  ['contracts/test/base/VaultTest.sol', ['not compiling']],
  ['contracts/test/Vault/pay.t.sol', except('killed by pay', 'killed in setUp', 'survived')],
  ['contracts/test/Vault/veto.t.sol', except('killed in setUp', 'survived')],
  [
    'contracts/test/invariants/vault.t.sol',
    except('killed by the invariants', 'killed in setUp', 'survived'),
  ],
])('after a change of %s', async (path, standing) => {
  expect(await standAfter(path)).toEqual(standing)
})
