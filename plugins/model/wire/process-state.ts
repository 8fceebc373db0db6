/** Temporary changes to process-wide state, undone before any other code can run. */

/** Runs `work` with another global fetch. `work` must be synchronous, so that no other code sees the change. */
export function withFetch<T>(replacement: typeof fetch, work: () => T): T {
  const original = globalThis.fetch;
  globalThis.fetch = replacement;
  try {
    return work();
  } finally {
    globalThis.fetch = original;
  }
}

/** Runs `work` with changed environment variables; undefined unsets one. `work` must be synchronous. */
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
