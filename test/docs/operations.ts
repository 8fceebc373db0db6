import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OperationDescription } from "@scorel/host/contract";
import { Access } from "../../plugins/host/clients/access.ts";
import type { Caller } from "../../plugins/host/clients/caller.ts";
import { listOperations } from "../../plugins/host/clients/list-operations.ts";
import { operations } from "../../plugins/host/clients/operations.ts";
import type { Sessions } from "../../plugins/host/sessions/sessions.ts";
import { shippedOptions } from "../../plugins/host/shipped-options.ts";
import { root } from "./source.ts";

type Rows = object | ((...given: object[]) => object);

/** The operations that plugins contribute, by plugin. */
export async function contributedOperations(ids: readonly string[]): Promise<{ plugin: string; value: object }[]> {
  const collected: { plugin: string; value: object }[] = [];
  for (const plugin of ids) {
    const file = join(root, "plugins", plugin, "operations.ts");
    if (!existsSync(file)) continue;
    const { operations: rows } = (await import(file)) as { operations: Rows };
    // A handler uses its arguments only when it runs, so that empty ones suffice here.
    collected.push({ plugin, value: typeof rows === "function" ? rows({}, {}, {}) : rows });
  }
  return collected;
}

/** The result of `list_operations` in a session with all plugins of Scorel, sorted by name. */
export async function readOperations(ids: readonly string[]): Promise<OperationDescription[]> {
  const collected = await contributedOperations(ids);
  const sessions = {
    parent: { collect: () => collected, onContributed: () => {} },
    known: shippedOptions,
  } as unknown as Sessions;
  const caller = { sessions, access: new Access(undefined, sessions) } as Partial<Caller> as Caller;
  const { operations: all } = await listOperations(operations, undefined, caller);
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}
