import { access } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp, isFree, processesOf, runNpm, runScript } from '#test/processes/processes.ts'
import {
  ask,
  expectNothingLeft,
  expectStops,
  makeOrganization,
  makePlace,
  type Place,
  type Service,
  signIn,
  startService,
  untilReady,
} from '#test/processes/service.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let place: Place

beforeAll(async () => {
  place = await makePlace()
})
afterAll(cleanUp)

const throughNpm = async (env = {}): Promise<Service> =>
  untilReady(await runNpm(['start'], { ...place.env, ...env }), place)

/** Sends only the head; the server signals when it waits for the body. */
const unfinishedRequest = (token: string, length: number): string =>
  'POST /v1/consumer/organizations HTTP/1.1\r\nhost: 127.0.0.1\r\n' +
  `authorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
  `content-length: ${length}\r\nexpect: 100-continue\r\n\r\n`

describe('stopping npm start', () => {
  test('SIGHUP ends it, but not a request in progress; the next start finds its data', async () => {
    const before = await startService(place)
    const token = await signIn(before, 'founder')
    const { id } = await makeOrganization(before, token, 'Kept & Sons')
    const body = JSON.stringify({ name: 'Just in time' })
    const socket = connect(place.port, '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    socket.write(unfinishedRequest(token, body.length))
    await vi.waitFor(() => expect(answer).toContain('100 Continue'), 30_000)
    before.kill('SIGHUP')
    // From here on no new connection is accepted.
    await vi.waitFor(async () => expect(await isFree(place.port)).toBe(true), 30_000)
    socket.write(body)
    await vi.waitFor(() => expect(answer).toMatch(/HTTP\/1.1 201 [\s\S]*Just in time/), 30_000)
    socket.destroy()
    expect(await before.ended).toEqual({ code: 0, signal: null })
    expect(before.stderr()).toBe('')
    await expectNothingLeft(before)

    const after = await startService(place)
    // The realm's keys are kept too: the old token is still valid.
    const listed = await ask('GET', `${after.api}/v1/consumer/organizations`, { token })
    expect(listed.body.organizations).toEqual([
      { id: expect.any(String), name: 'Just in time', role: 'owner' },
      { id, name: 'Kept & Sons', role: 'owner' },
    ])
    // INT twice at once counts as one.
    const ended = await expectStops(after, () => {
      after.kill('SIGINT')
      setTimeout(() => after.kill('SIGINT'), 15)
    })
    expect(ended).toEqual({ code: 0, signal: null })
    expect(after.stderr()).toBe('')
  })

  test('a second signal seconds later ends it and its database immediately', async () => {
    const service = await startService(place)
    // A request that never ends delays the first signal's shutdown.
    const token = await signIn(service)
    const socket = connect(place.port, '127.0.0.1')
    let answer = ''
    socket.on('error', () => {})
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    socket.write(unfinishedRequest(token, 100))
    await vi.waitFor(() => expect(answer).toContain('100 Continue'), 30_000)
    service.kill('SIGTERM')
    await vi.waitFor(async () => expect(await isFree(place.port)).toBe(true), 30_000)
    // Repeatedly, because the service decides how long the first signal protects it.
    const impatience = setInterval(() => service.kill('SIGTERM'), 250)
    expect(await service.ended).toEqual({ code: 130, signal: null })
    clearInterval(impatience)
    await expectNothingLeft(service)
  })

  test('a signal during the start takes effect when everything can be stopped', async () => {
    const starting = runScript('src/dev/start.ts', place.env)
    await vi.waitFor(() => access(join(place.folder, 'postgres', 'postmaster.pid')), 60_000)
    starting.kill('SIGTERM')
    expect(await starting.ended).toEqual({ code: 0, signal: null })
    await expect.poll(() => processesOf(place.folder)).toEqual([])
  })
})

describe('stopping npm start through npm', () => {
  test('TERM to npm leaves nothing, and npm waits for the service', async () => {
    const service = await throughNpm()
    const ended = await expectStops(service, () => service.kill('SIGTERM'))
    expect(ended).toEqual({ code: 0, signal: null })
  })

  // The service is signalled twice: by the terminal and by npm.
  test('Ctrl-C, which goes to the whole process group, leaves nothing', async () => {
    const service = await throughNpm()
    const ended = await expectStops(service, () => service.killGroup('SIGINT'))
    expect(ended).toEqual({ code: 0, signal: null })
  })

  test('kill -9 of npm makes the service stop by itself', async () => {
    const service = await throughNpm()
    const ended = await expectStops(service, () => service.kill('SIGKILL'))
    expect(ended).toEqual({ code: null, signal: 'SIGKILL' })
  })
})
