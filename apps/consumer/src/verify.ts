/**
 * Checks an approval on a second device: no session, no request, no framework. What is shown comes
 * from the part of the link after `#`, or from what was pasted.
 */
import './verify.css'
import { regionFor } from '@countersign/ui/region.ts'
import { approvalHashes } from './approval/approval-hashes.ts'
import { decodeApproval, type LinkedApproval, readTypedData } from './approval/approval-link.ts'
import { textsFor } from './verify/texts.ts'

const texts = textsFor(navigator.languages)
const region = regionFor(texts.language, navigator.languages)

/** The token is a stablecoin with six decimals; the link is not asked, because it could lie. */
const DECIMALS = 6

function element(tag: string, content: string | readonly Node[], className = ''): HTMLElement {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...(typeof content === 'string' ? [content] : content))
  return made
}

const inFours = (hex: string): string => `0x ${(hex.slice(2).match(/.{1,4}/g) ?? []).join(' ')}`

function decimal(baseUnits: string): string {
  const digits = baseUnits.padStart(DECIMALS + 1, '0')
  const text = `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
  return new Intl.NumberFormat(region, {
    minimumFractionDigits: 2,
    maximumFractionDigits: DECIMALS,
  }).format(text as Intl.StringNumericLiteral)
}

type Row = readonly [term: string, value: string, className?: string]

const rows = (list: readonly Row[]): HTMLElement =>
  element(
    'dl',
    list.flatMap(([term, value, className]) => [
      element('dt', term),
      element('dd', value, className),
    ]),
  )

const section = (title: string, content: readonly Node[]): HTMLElement =>
  element('section', [element('h2', title), ...content])

function untilText(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000)
  return Number.isNaN(date.getTime())
    ? seconds
    : new Intl.DateTimeFormat(region, { dateStyle: 'full', timeStyle: 'long' }).format(date)
}

function approvalView(approval: LinkedApproval): Node[] {
  const { chainId, vault, message } = approval
  const hashes = approvalHashes(approval)
  const isExpired = Number(message.deadline) * 1_000 <= Date.now()
  return [
    section(texts.pays, [
      rows([
        [texts.amount, decimal(message.amount), 'amount'],
        [texts.exactly, `${message.amount} ${texts.baseUnits}`],
        [texts.to, inFours(message.recipient), 'mono'],
        [texts.from, inFours(vault), 'mono'],
        [texts.until, untilText(message.deadline)],
        [texts.policyVersion, message.policyVersion],
        [texts.chain, String(chainId)],
        [texts.token, inFours(message.token), 'mono'],
        [texts.approver, inFours(message.approver), 'mono'],
      ]),
      ...(isExpired ? [element('p', texts.expired, 'notice')] : []),
    ]),
    section(texts.hashes, [
      element('p', texts.hashesLead, 'muted'),
      rows([
        [texts.domain, inFours(hashes.domain), 'mono'],
        [texts.message, inFours(hashes.message), 'mono'],
        [texts.digest, inFours(hashes.digest), 'mono'],
      ]),
    ]),
    section(texts.others, [
      rows(
        (
          [
            'approvalId',
            'organizationHash',
            'paymentId',
            'reportHash',
            'expenseVersionHash',
          ] as const
        ).map((field) => [field, inFours(message[field]), 'mono'] as const),
      ),
    ]),
  ]
}

function invalidView(): HTMLElement {
  const notice = element(
    'div',
    [element('strong', texts.invalid), element('div', texts.invalidLead)],
    'notice bad',
  )
  notice.setAttribute('role', 'alert')
  return notice
}

function pasteView(): HTMLElement {
  const label = element('label', texts.paste) as HTMLLabelElement
  const area = document.createElement('textarea')
  area.id = 'typed-data'
  area.spellcheck = false
  label.htmlFor = area.id
  const button = element('button', texts.check) as HTMLButtonElement
  button.type = 'button'
  button.addEventListener('click', () => show(readTypedData(area.value), { isAsked: true }))
  return element('section', [label, area, button])
}

function show(approval: LinkedApproval | null, { isAsked }: { isAsked: boolean }): void {
  const isInvalid = !approval && isAsked
  document
    .getElementById('root')
    ?.replaceChildren(
      element('h1', texts.title),
      element('p', texts.lead, 'muted'),
      ...(isInvalid ? [invalidView()] : []),
      ...(approval ? approvalView(approval) : [pasteView()]),
    )
}

function showLink(): void {
  const fragment = location.hash.slice(1)
  show(decodeApproval(fragment), { isAsked: fragment !== '' })
}

document.documentElement.lang = region
document.title = texts.title
addEventListener('hashchange', showLink)
showLink()
