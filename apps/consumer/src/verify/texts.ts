/** All texts of the page that checks an approval on a second device. It loads no catalogue. */
const en = {
  title: 'Check what you sign',
  lead: 'This page has no connection. It hashes what the link contains and shows it in words. Compare it with the device that asks you to sign.',
  pays: 'You would approve',
  amount: 'Amount',
  exactly: 'Exactly',
  baseUnits: 'base units; shown with 6 decimals, as USDC has',
  to: 'To',
  from: 'From the vault',
  until: 'Until',
  expired: 'This moment has passed. The vault refuses the signature.',
  chain: 'Chain',
  token: 'Token',
  policyVersion: 'Policy version',
  approver: 'Signed by',
  hashes: 'Hashes',
  hashesLead: 'A hardware wallet shows one or more of these. They must be equal.',
  domain: 'Domain hash',
  message: 'Message hash',
  digest: 'Digest',
  others: 'The other fields',
  invalid: 'This is not an approval.',
  invalidLead:
    'The link is damaged, or it holds something else. Do not sign on its account. Scan the code again, or paste the data that your wallet shows.',
  paste: 'Typed data, as your wallet shows it (JSON)',
  check: 'Check',
  language: 'en',
}

export type Texts = { [Name in keyof typeof en]: string }

const de: Texts = {
  title: 'Prüfen, was Sie unterschreiben',
  lead: 'Diese Seite hat keine Verbindung. Sie berechnet die Hashes dessen, was der Link enthält, und zeigt es in Worten. Vergleichen Sie es mit dem Gerät, das um die Unterschrift bittet.',
  pays: 'Sie würden freigeben',
  amount: 'Betrag',
  exactly: 'Genau',
  baseUnits: 'Basiseinheiten; gezeigt mit 6 Nachkommastellen, wie USDC sie hat',
  to: 'An',
  from: 'Aus dem Tresor',
  until: 'Bis',
  expired: 'Dieser Zeitpunkt ist vorbei. Der Tresor lehnt die Unterschrift ab.',
  chain: 'Blockchain',
  token: 'Token',
  policyVersion: 'Version des Regelwerks',
  approver: 'Unterschrieben von',
  hashes: 'Hashes',
  hashesLead: 'Eine Hardware-Wallet zeigt einen oder mehrere davon. Sie müssen gleich sein.',
  domain: 'Domain-Hash',
  message: 'Nachrichten-Hash',
  digest: 'Digest',
  others: 'Die übrigen Felder',
  invalid: 'Das ist keine Freigabe.',
  invalidLead:
    'Der Link ist beschädigt oder enthält etwas anderes. Unterschreiben Sie nicht seinetwegen. Scannen Sie den Code noch einmal, oder fügen Sie die Daten ein, die Ihre Wallet zeigt.',
  paste: 'Typisierte Daten, wie Ihre Wallet sie zeigt (JSON)',
  check: 'Prüfen',
  language: 'de',
}

export const textsFor = (languages: readonly string[]): Texts =>
  languages.map((tag) => tag.split('-')[0]).find((tag) => tag === 'de' || tag === 'en') === 'de'
    ? de
    : en
