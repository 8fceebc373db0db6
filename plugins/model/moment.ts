/** Changes to what the whole process shares, each for one moment in which nothing else can run. */

/** Runs `work` with another global fetch. Safe only for synchronous work: nobody else can see the exchange. */
export function withFetch<T>(replacement: typeof fetch, work: () => T): T {
  const original = globalThis.fetch;
  globalThis.fetch = replacement;
  try {
    return work();
  } finally {
    globalThis.fetch = original;
  }
}

/** Runs `work` with other environment variables; undefined takes one away. Safe only for synchronous work. */
export function withVariables<T>(changes: Readonly<Record<string, string | undefined>>, work: () => T): T {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  setVariables(Object.entries(changes));
  try {
    return work();
  } finally {
    setVariables(before);
  }
}

function setVariables(values: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of values) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
