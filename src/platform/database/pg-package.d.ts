/** The one inner part of pg that the service uses; its types do not describe it. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): Buffer | string | null }
  export = utils
}
