/** The service checks the rest: whether the name leads to a public address. */
export function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === ''
}
