/** Passes output on if it is bytes, and otherwise remembers that it was not. */
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
