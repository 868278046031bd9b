import { describe, expect, it } from 'vitest'
import { comparedGroups, lookAlikesOf, readAddress } from './look-alikes.ts'

const PRINTERS = '0x8fa319c244b07e21a9d013bc55f20c9a7743e17d'
const POISON = '0x8fa377a044b07e21a9d013bc55f20c9a0000e17d'
const known = [{ label: 'Printers Limited', address: PRINTERS, active: true }]

describe('look-alikes', () => {
  it('have the same first and last four characters and another middle', () => {
    expect(lookAlikesOf(POISON, known)).toEqual(known)
  })

  it('are not the address itself, in any case of its letters', () => {
    expect(lookAlikesOf(PRINTERS.toUpperCase().replace('0X', '0x'), known)).toEqual([])
  })

  it('are not addresses that share one end only', () => {
    expect(lookAlikesOf(`${PRINTERS.slice(0, -1)}0`, known)).toEqual([])
  })

  it('are not compared with deactivated recipients, as in the service', () => {
    expect(
      lookAlikesOf(POISON, [{ ...known[0], label: 'old', address: PRINTERS, active: false }]),
    ).toEqual([])
  })

  it('are told apart group by group', () => {
    const groups = comparedGroups(POISON, PRINTERS)
    expect(groups).toHaveLength(10)
    expect(groups[0]).toEqual({ left: '8fa3', right: '8fa3', isSame: true })
    expect(groups[1]).toEqual({ left: '77a0', right: '19c2', isSame: false })
    expect(groups.filter(({ isSame }) => !isSame)).toHaveLength(2)
  })
})

describe('an address that somebody typed', () => {
  it('gets its checksum', () => {
    expect(readAddress(` ${PRINTERS} `)).toMatchObject({ ok: true })
  })

  it.each([
    ['', 'empty'],
    ['Printers', 'not_an_address'],
    [PRINTERS.slice(0, -1), 'not_an_address'],
    ['0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'bad_checksum'],
  ])('is refused: %s', (typed, problem) => {
    expect(readAddress(typed)).toEqual({ ok: false, problem })
  })
})
