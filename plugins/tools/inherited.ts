import type { ParentSession } from "@scorel/workspace/contract";
import type { BashSettings, ToolsService } from "./contract.ts";

/** What a session lets those that belong to it use at most: the names of its tools, and how commands run. */
export interface Limits {
  /** A session without this plugin has no tools. */
  optional: true;
  tools: readonly string[];
  bash: BashSettings;
}

/** The limits of a session for its children. */
export function childLimits(tools: ToolsService): Limits {
  return { optional: true, tools: tools.list().map(({ name }) => name), bash: tools.bash };
}

/** Returns how the limits by a session's parent narrow what the session has. Without a parent they narrow nothing. */
export function inheritedBy(parent: ParentSession | undefined) {
  const limits = () => (parent?.limits("tools") ?? {}) as { atStart?: Limits; now?: Limits };
  // Tools are limited as they were when the session was created, so that its requests begin alike.
  const names = limits().atStart?.tools;
  return {
    offers: ({ name }: { name: string }) => names === undefined || names.includes(name),
    bash(own: BashSettings): BashSettings {
      const { atStart, now } = limits();
      const all = [own, atStart?.bash ?? own, now?.bash ?? own];
      return { sandbox: all.some(({ sandbox }) => sandbox), network: all.every(({ network }) => network) };
    },
  };
}
