/** https at a public name; the service checks the rest. */
export function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.hostname.includes('.') && url.username === ''
}
