import { padHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { CHAIN_ID, codeOfVault, stranger, TOKEN, VAULT } from '../routes/sign/sign-fixture.ts'
import { isVaultOf } from './is-vault-of.ts'

const described = { token: TOKEN, vault: VAULT, owner: stranger.address, chainId: CHAIN_ID }
const thief = padHex('0x304E22bca613ecB8958be63F78F20496E3ef39E7', { size: 32 })

describe('before tokens are allowed or a policy is signed, the code', () => {
  it('of the published vault is accepted, in any case of letters', () => {
    expect(isVaultOf(codeOfVault(), described)).toBe(true)
    const lower = { ...described, vault: VAULT.toLowerCase(), token: TOKEN.toLowerCase() }
    expect(isVaultOf(codeOfVault(), lower)).toBe(true)
  })

  it.each([
    ['no contract', '0x'],
    ['a contract with one byte more', `${codeOfVault()}00`],
    ['a contract that begins differently', `0x61${codeOfVault().slice(4)}`],
    ["somebody else's vault", codeOfVault({ owner: thief })],
    ['a vault of another token', codeOfVault({ token: thief })],
    ['the code of a vault at another address', codeOfVault({ cachedThis: thief })],
    [
      'the code of a vault on another chain',
      codeOfVault({ cachedChainId: padHex('0x1', { size: 32 }) }),
    ],
  ] as const)('of %s is refused', (_what, code) => {
    expect(isVaultOf(code as `0x${string}`, described)).toBe(false)
  })

  it('of a vault whose changes wait otherwise than said is refused', () => {
    const hour = codeOfVault({ changeDelaySeconds: padHex('0xe10', { size: 32 }) })
    expect(isVaultOf(hour, { ...described, changeDelaySeconds: 3_600 })).toBe(true)
    expect(isVaultOf(hour, { ...described, changeDelaySeconds: 0 })).toBe(false)
    expect(isVaultOf(codeOfVault(), { ...described, changeDelaySeconds: 3_600 })).toBe(false)
  })
})
