/** Errors after which a connection is discarded, because nothing more can be expected of it. */

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const lostCodes =
  /^(08...|57P0.|25P0[34]|25006|ECONN.*|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|CERT_.*)$/
const lostMessages = new RegExp(
  'timeout exceeded when trying to connect|Query read timeout|Connection terminated|' +
    'connection error|not queryable|is not currently accepting connections',
)

export const isConnectionLost = (error: unknown): boolean =>
  lostCodes.test(codeOf(error)) || (error instanceof Error && lostMessages.test(error.message))
