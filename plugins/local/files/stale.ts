/** The error of a call with a real path that now contains a link. */
export function stale(path: string, cause?: unknown): Error {
  const error = new Error(`ESTALE: there is a link in the way now, '${path}'`, { cause });
  return Object.assign(error, { code: "ESTALE", path });
}
