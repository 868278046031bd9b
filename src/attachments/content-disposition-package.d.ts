/** The package has no types; this declares what we use. */
declare module 'content-disposition' {
  function contentDisposition(filename: string): string
  namespace contentDisposition {
    /** Throws a TypeError for a malformed header. */
    function parse(header: string): { type: string; parameters: Record<string, string> }
  }
  export = contentDisposition
}
