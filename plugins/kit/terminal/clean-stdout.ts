/**
 * Redirects what extensions and libraries write to the process's stdout to stderr, until the returned function is called. Commands have
 * their own output stream, which this does not change.
 */
export function keepStdoutClean(): () => void {
  const { stdout, stderr } = process;
  const { write } = stdout;
  stdout.write = ((...given: Parameters<typeof stderr.write>) => stderr.write(...given)) as typeof stdout.write;
  return () => {
    stdout.write = write;
  };
}
