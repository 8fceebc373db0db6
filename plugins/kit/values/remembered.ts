/** Remembers what was made from the texts that were used last, `most` of them. Whoever gets a value must not change it. */
export function remembered<V>(make: (text: string) => V, most: number): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => {
    const value = known.has(text) ? (known.get(text) as V) : make(text);
    // The latest come last, so that the first is the one that was not used for the longest time.
    known.delete(text);
    known.set(text, value);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return value;
  };
}
