type Write = NodeJS.WriteStream["write"];

/**
 * Takes what is written to stderr while `holds` says that the application has the terminal: it would be painted over its screen. Only
 * if stderr is a terminal; a file gets all. Returns what undoes this.
 */
export function takeStderr(stderr: NodeJS.WriteStream, holds: () => boolean, take: (text: string) => void): () => void {
  if (!stderr.isTTY) return () => {};
  const { write } = stderr;
  const taking: Write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    if (!holds()) return (write as (...given: unknown[]) => boolean).call(stderr, chunk, ...rest);
    take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const written = rest.find((each): each is () => void => typeof each === "function");
    if (written) process.nextTick(written);
    return true;
  };
  stderr.write = taking;
  return () => {
    if (stderr.write === taking) stderr.write = write;
  };
}
