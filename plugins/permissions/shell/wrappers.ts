/** A command without its harmless wrappers. */
interface Unwrapped {
  /** The names of the wrappers. */
  wrappers: string[];
  /** How many words the wrappers take. */
  skip: number;
  /** The script passed to `sh -c`. */
  script?: string;
}

/** Unwraps harmless wrappers such as `timeout` and `sh -c`; undefined for a command without any. */
export function unwrapped(values: readonly (string | undefined)[]): Unwrapped | undefined {
  const wrappers: string[] = [];
  let skip = 0;
  for (;;) {
    const [name, ...rest] = values.slice(skip);
    const step = wrapperLength(name, rest);
    if (step === 0) break;
    wrappers.push(name as string);
    skip += step;
  }
  const [name = "", option, script, ...more] = values.slice(skip);
  if (/^(?:bash|sh)$/.test(name) && option === "-c" && script !== undefined && more.length === 0)
    return { wrappers: [...wrappers, name], skip, script };
  return skip > 0 ? { wrappers, skip } : undefined;
}

/** How many words a harmless wrapper takes; 0 for any other command. */
function wrapperLength(name: string | undefined, [first, second, third]: (string | undefined)[]): number {
  const starts = (value: string | undefined) => value !== undefined && /^[\w./][^=]*$/.test(value);
  if (name === "timeout" && /^\d+(?:\.\d+)?[smhd]?$/.test(first ?? "") && starts(second)) return 2;
  if (name === "nice" && first === "-n" && /^\d+$/.test(second ?? "") && starts(third)) return 3;
  return /^(?:nice|nohup|command|time|env)$/.test(name ?? "") && starts(first) ? 1 : 0;
}
