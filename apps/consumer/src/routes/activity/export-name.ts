/** The name of the file, without its extension. */
export const exportName = (
  format: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): string => ['payments', from, to, format === 'plain' ? '' : format].filter(Boolean).join('-')
