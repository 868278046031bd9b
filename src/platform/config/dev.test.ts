import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { type Environment, readDevConfig } from './config.ts'

const refusal = (env: Environment) => {
  try {
    readDevConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    return (error as StartupError).message
  }
  return 'no problem'
}

const notPorts = ['-1', '1.5', '1e3', '0x10', ' 80', '80 ', 'eighty', '80\n', '65536']

describe('the development settings', () => {
  test('have a folder and ports by default', () => {
    const web = { webPort: 4100, adminWebPort: 4200 }
    const usual = { dataDir: '.countersign', devPort: 4001, chainPort: 8545, ...web }
    expect(readDevConfig({})).toEqual(usual)
    expect(readDevConfig({ DATA_DIR: '', DEV_PORT: '', WEB_PORT: '' })).toEqual(usual)
    const ports = {
      DEV_PORT: '5001',
      DEV_CHAIN_PORT: '0',
      WEB_PORT: '5100',
      ADMIN_WEB_PORT: '5200',
    }
    const chosen = { devPort: 5001, chainPort: 0, webPort: 5100, adminWebPort: 5200 }
    const env = { DATA_DIR: '/somewhere', ...ports }
    expect(readDevConfig(env)).toEqual({ dataDir: '/somewhere', ...chosen })
    const none = { webPort: undefined, adminWebPort: undefined }
    expect(readDevConfig({ WEB_PORT: 'off' })).toMatchObject(none)
    const one = { webPort: 4100, adminWebPort: undefined }
    expect(readDevConfig({ ADMIN_WEB_PORT: 'off' })).toMatchObject(one)
  })

  test.each(notPorts)('refuse a port of %j by the name of its variable', (text) => {
    for (const name of ['DEV_PORT', 'DEV_CHAIN_PORT', 'WEB_PORT', 'ADMIN_WEB_PORT']) {
      expect(refusal({ [name]: text })).toMatch(new RegExp(`^${name} must be `))
    }
  })

  test('are refused in production', () => {
    expect(refusal({ NODE_ENV: 'production' })).toMatch(
      /^npm start runs development services and refuses NODE_ENV=production\./,
    )
  })
})
