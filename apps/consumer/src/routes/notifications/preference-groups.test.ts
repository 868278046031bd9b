import { describe, expect, it } from 'vitest'
import { channelState, GROUPS, grouped, type Preference } from './preference-groups.ts'

const preference = (category: string, required = false) =>
  ({ category, push: true, email: true, required }) as Preference

describe('preferences', () => {
  it('are shown each once, in groups', () => {
    const all = Object.values(GROUPS)
      .flat()
      .map((category) => preference(category))
    const shown = Object.values(grouped(all.toReversed())).flat()
    expect(shown.map(({ category }) => category)).toEqual(all.map(({ category }) => category))
  })

  it('of a category that is not known yet are shown too', () => {
    expect(grouped([preference('brand_new')]).work).toHaveLength(1)
  })

  it('cannot be switched where there is no channel, no address, or no choice', () => {
    const both = { channels: { push: true, email: true }, emailAddress: 'a@example.com' }
    expect(channelState(both, preference('support_updated'), 'push')).toBe('usable')
    expect(channelState(both, preference('wallet_exported', true), 'email')).toBe('required')
    expect(channelState({ ...both, emailAddress: null }, preference('x'), 'email')).toBe(
      'no_address',
    )
    const none = { ...both, channels: { push: false, email: false } }
    expect(channelState(none, preference('x', true), 'push')).toBe('off_here')
  })
})
