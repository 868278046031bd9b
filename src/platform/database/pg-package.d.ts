/** Declares the one internal module of pg that we use. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): Buffer | string | null }
  export = utils
}
