/** Linking contract wallets: ERC-1271, and ERC-6492 before they are deployed. */
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import { compileMocks, deployMock, type Mock } from '#test/adapters/mocks.ts'
import { type Bench, openBench } from '#test/chain/bench.ts'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { outcome, randomAddress, tally, times } from '#test/support/steps.ts'
import { challenge as challengeAt, link as linkAt, newKey } from '#test/support/wallet-links.ts'

const ORIGIN = 'https://app.example'

let chain: TestChain
let service: TestApp

beforeAll(async () => {
  chain = await startTestChain()
  service = await startTestApp({ env: { ...chain.env, CONSUMER_APP_ORIGIN: ORIGIN } })
})
afterAll(async () => {
  await service.stop()
  await chain.stop()
})

const challenge = (person: Person, address: string) => challengeAt(service, person, { address })

const link = (person: Person, challengeId: string, signature: string) =>
  linkAt(service, person, { challengeId, signature })

describe('a contract wallet', () => {
  const MAGIC = `0x${'6492'.repeat(16)}` as const
  let bench: Bench
  let mocks: Record<string, Mock>
  let factory: Address

  beforeAll(async () => {
    bench = await openBench(chain)
    mocks = await compileMocks(['KeyWallets'])
    factory = await deployMock(bench, mocks.KeyWalletFactory)
  })

  const deployment = (key: Address): Hex =>
    encodeFunctionData({
      abi: mocks.KeyWalletFactory?.abi ?? [],
      functionName: 'deploy',
      args: [key],
    })

  /** Where the factory deploys the wallet of the key. */
  const addressOf = (key: Address): Address =>
    getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: `0x${'00'.repeat(32)}`,
      bytecode: concatHex([
        mocks.KeyWallet?.bytecode ?? '0x',
        encodeAbiParameters([{ type: 'address' }], [key]),
      ]),
    })

  const wrapped = (key: Address, signature: Hex): Hex =>
    concatHex([
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
        [factory, deployment(key), signature],
      ),
      MAGIC,
    ])

  test('is linked by ERC-1271 once it is deployed', async () => {
    const person = await service.signIn()
    const key = newKey()
    await bench.send(bench.owner, { to: factory, data: deployment(key.address) })
    const address = addressOf(key.address)
    const { body } = await challenge(person, address)
    const signature = await key.signMessage({ message: body.message })
    const linked = await link(person, body.challengeId, signature)
    expect([linked.status, linked.body.address]).toEqual([201, getAddress(address)])
  })

  test('is linked by ERC-6492 before it is deployed', async () => {
    const person = await service.signIn()
    const key = newKey()
    const address = addressOf(key.address)
    const { body } = await challenge(person, address)
    const signature = await key.signMessage({ message: body.message })
    const linked = await link(person, body.challengeId, wrapped(key.address, signature))
    expect([linked.status, linked.body.address]).toEqual([201, getAddress(address)])
  })

  test('is refused if another key signed, deployed or not', async () => {
    const person = await service.signIn()
    const key = newKey()
    const thief = newKey()
    for (const isDeployed of [false, true]) {
      if (isDeployed) await bench.send(bench.owner, { to: factory, data: deployment(key.address) })
      const { body } = await challenge(person, addressOf(key.address))
      const signature = await thief.signMessage({ message: body.message })
      const answer = await link(person, body.challengeId, wrapped(key.address, signature))
      expect(outcome(answer)).toBe('409 invalid_signature')
    }
  })

  test('is refused if the deployment is of another wallet', async () => {
    const person = await service.signIn()
    const [key, thief] = [newKey(), newKey()]
    const { body } = await challenge(person, addressOf(key.address))
    const signature = await thief.signMessage({ message: body.message })
    const answer = await link(person, body.challengeId, wrapped(thief.address, signature))
    expect(outcome(answer)).toBe('409 invalid_signature')
  })

  /** Nodes that answer as given, and count how often they are asked. */
  const countQueries = (answer: () => Promise<boolean>) => {
    const { isWalletSignature } = service.ctx.chain
    const nodes = { queries: 0 }
    service.ctx.chain.isWalletSignature = () => {
      nodes.queries += 1
      return answer()
    }
    onTestFinished(() => {
      service.ctx.chain.isWalletSignature = isWalletSignature
    })
    return nodes
  }

  test.each([
    ['accept', true, { '201': 1, '409 state_conflict': 5 }],
    ['refuse', false, { '409 invalid_signature': 1, '409 state_conflict': 5 }],
  ])('concurrent requests with one challenge query the nodes once if they %s', async (...given) => {
    const [, isAccepted, expected] = given
    const person = await service.signIn()
    const { body } = await challenge(person, randomAddress())
    let answered = 0
    const nodes = countQueries(async () => {
      await expect.poll(() => answered === 5 || nodes.queries > 1).toBe(true)
      return isAccepted
    })
    const send = async () => {
      const answer = await link(person, body.challengeId, '0x1234')
      answered += 1
      return answer
    }
    const answers = await Promise.all(times(6, send))
    expect(nodes.queries).toBe(1)
    expect(tally(answers)).toEqual(expected)
  })

  test('a challenge is claimed while the nodes are asked, and released if they fail', async () => {
    const person = await service.signIn()
    const { body } = await challenge(person, randomAddress())
    const first = Promise.withResolvers<boolean>()
    const nodes = countQueries(() => (nodes.queries === 1 ? first.promise : Promise.resolve(true)))
    const failing = link(person, body.challengeId, '0x1234')
    await expect.poll(() => nodes.queries).toBe(1)
    expect(outcome(await link(person, body.challengeId, '0x1234'))).toBe('409 state_conflict')
    first.reject(new AppError('dependency_unavailable'))
    expect(outcome(await failing)).toBe('503 dependency_unavailable')
    expect(outcome(await link(person, body.challengeId, '0x1234'))).toBe('201')
    expect(nodes.queries).toBe(2)
  })

  test('is 503 while no node answers, and the challenge stays usable', async () => {
    const person = await service.signIn()
    const key = newKey()
    const { body } = await challenge(person, addressOf(key.address))
    const signature = await key.signMessage({ message: body.message })
    const proof = wrapped(key.address, signature)
    const { isWalletSignature } = service.ctx.chain
    const away = await startTestApp({ env: { CONSUMER_APP_ORIGIN: ORIGIN } })
    service.ctx.chain.isWalletSignature = away.ctx.chain.isWalletSignature
    const answer = await link(person, body.challengeId, proof)
    service.ctx.chain.isWalletSignature = isWalletSignature
    await away.stop()
    expect(outcome(answer)).toBe('503 dependency_unavailable')
    expect(outcome(await link(person, body.challengeId, proof))).toBe('201')
  })
})

describe('an address without a key', () => {
  // The precompile that recovers signers answers zero for a signature of nobody.
  test('is not linked by a signature of nobody', async () => {
    const person = await service.signIn()
    const { body } = await challenge(person, `0x${'00'.repeat(20)}`)
    const signature = `0x${'00'.repeat(64)}1b`
    const answer = await link(person, body.challengeId, signature)
    expect(outcome(answer)).toBe('409 invalid_signature')
  })
})
