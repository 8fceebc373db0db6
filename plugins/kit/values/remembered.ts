/** Caches the values that `make` returns for the `most` texts used last. Callers must not change a value, since they share it. */
export function remembered<V>(make: (text: string) => V, most: number): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => {
    const value = known.has(text) ? (known.get(text) as V) : make(text);
    // The text used last is the last key, so that the first key is the one to remove.
    known.delete(text);
    known.set(text, value);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return value;
  };
}
