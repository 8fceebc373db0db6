/**
 * Returns `take`, which passes on output that is bytes, and `check`, which describes what was expected if other output
 * came.
 */
export function checkedOutput(onOutput: (bytes: Uint8Array) => void) {
  let isProper = true;
  return {
    take(bytes: Uint8Array): void {
      if (bytes instanceof Uint8Array) onOutput(bytes);
      else isProper = false;
    },
    check: () => (isProper ? undefined : "output as Uint8Array"),
  };
}
