import {
  type AnyEvent,
  type AnyPlugin,
  createKernel,
  type Kernel,
  type KernelEntry,
  type Missed,
  type SessionHeader,
  type StoredEvent,
} from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import type { KernelOptions } from "../kernel/kernel.ts";
import { contain } from "../plugins/extensions/containment/contain.ts";
import type { Origin } from "../plugins/extensions/containment/contained-plugin.ts";

/** A header with the same ids and times in every run. */
export const testHeader: SessionHeader = {
  version: 1,
  sessionId: "session000000001",
  deviceId: "device0000000001",
  createdAt: 0,
  epoch: "epoch00000000001",
  meta: {},
};

export interface TestKernel extends AsyncDisposable {
  kernel: Kernel;
  session: Kernel["session"];
  /** The records of the log, as written. */
  stored(): StoredEvent[];
  /** All announced events so far, once all subscribers have received them. */
  heard(): Promise<(AnyEvent | Missed)[]>;
}

export type TestPlugin = AnyPlugin | (Partial<KernelEntry> & { plugin: AnyPlugin });

/** A kernel in memory, with a fake clock and counted ids (`id0000000001`, …); stops when the test ends. */
export async function testKernel(
  plugins: readonly TestPlugin[],
  options: Partial<Omit<KernelOptions, "entries">> = {},
): Promise<TestKernel> {
  const memory = createMemoryStore(testHeader);
  const events: (AnyEvent | Missed)[] = [];
  let ids = 0;
  let clock = 0;
  const kernel = await createKernel({
    entries: plugins.map(asEntry),
    store: memory,
    now: () => ++clock,
    newId: () => `id${String(++ids).padStart(10, "0")}`,
    clientId: "test",
    ...options,
  });
  kernel.subscribe((event) => void events.push(event));
  return {
    kernel,
    session: kernel.session,
    stored: () => memory.records.map((record) => JSON.parse(record) as StoredEvent),
    heard: async () => {
      await kernel.drained();
      return [...events];
    },
    [Symbol.asyncDispose]: () => kernel.stop(),
  };
}

/** Wraps a plugin as if it were a user's extension. */
export function contained(plugin: AnyPlugin, path = "test", more: Omit<Origin, "path"> = {}): KernelEntry {
  return contain(plugin, { path, ...more });
}

function asEntry(given: TestPlugin): KernelEntry {
  return "plugin" in given ? { origin: "test", ...given } : { plugin: given, origin: "test" };
}

/** Connections by client id, for operations of session plugins that need the caller. */
export function testCallers() {
  const left = new Map<string, AbortController>();
  const of = (clientId: string) => {
    const control = left.get(clientId) ?? new AbortController();
    left.set(clientId, control);
    return control;
  };
  return {
    caller: (clientId: string) => ({
      clientId,
      left: () => of(clientId).signal,
      assertSession: async () => {},
      assertOperations: () => {},
      assertPath: async () => {},
    }),
    /** Closes the connection. */
    leave: (clientId: string) => of(clientId).abort(),
  };
}
