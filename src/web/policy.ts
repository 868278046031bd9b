/** The security headers of pages. */
import { createHash } from 'node:crypto'

const IMPORT_MAP = /<script\b[^>]*\btype=["']?importmap["']?[^>]*>([\s\S]*?)<\/script>/gi

/** The hashes of a page's inline import maps, which name the hash of every chunk. */
const importMapHashes = (html: string): string[] =>
  [...html.matchAll(IMPORT_MAP)].map(([, text = '']) => {
    const digest = createHash('sha256').update(text).digest('base64')
    return `'sha256-${digest}'`
  })

/** `isOffline`: the page can reach nothing, not even this gateway. */
export function contentSecurityPolicy(html: string, { isOffline = false } = {}): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...importMapHashes(html)].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${isOffline ? "'none'" : "'self'"}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The application's one policy lets through its own service worker and nothing else.
    `trusted-types ${isOffline ? "'none'" : 'countersign-worker'}`,
  ].join('; ')
}

const PERMISSIONS = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'magnetometer'],
  ...['microphone', 'midi', 'payment', 'screen-wake-lock', 'serial', 'xr-spatial-tracking'],
]

/** For every answer. Wallets that are hardware need `usb` and `hid`, from our own pages only. */
export const securityHeaders = (origin: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': [
    ...PERMISSIONS.map((name) => `${name}=()`),
    'usb=(self)',
    'hid=(self)',
  ].join(', '),
  'x-frame-options': 'DENY',
  ...(origin.startsWith('https:') && {
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
  }),
})

/** For answers that are not pages: they load and run nothing. */
export const NO_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'"
