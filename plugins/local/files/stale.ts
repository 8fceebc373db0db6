/** The error of a call for a real path in which there is a link now. */
export function stale(path: string, cause?: unknown): Error {
  const error = new Error(`ESTALE: there is a link in the way now, '${path}'`, { cause });
  return Object.assign(error, { code: "ESTALE", path });
}
