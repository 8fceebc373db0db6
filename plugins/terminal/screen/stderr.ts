type Write = NodeJS.WriteStream["write"];

/**
 * Passes texts written to stderr to `take` instead while `holds` returns true, since they would appear in the application's screen. Does
 * nothing if stderr is not a terminal. Returns a function that undoes this.
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
