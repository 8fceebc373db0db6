import type { ParentSession } from "@scorel/workspace/contract";
import type { BashSettings, ToolsService } from "./contract.ts";

/** The most that a session allows its child sessions: the names of its tools, and how commands run. */
export interface Limits {
  /** A session without this plugin has no tools, so its children need not have the plugin. */
  optional: true;
  tools: readonly string[];
  bash: BashSettings;
}

/** The limits of a session for its children. */
export function childLimits(tools: ToolsService): Limits {
  return { optional: true, tools: tools.names(), bash: tools.bash };
}

/** Returns how the limits of a session's parent restrict its tools. Without a parent there is no restriction. */
export function inheritedBy(parent: ParentSession | undefined) {
  const limits = () => (parent?.limits("tools") ?? {}) as { atStart?: Limits; now?: Limits };
  // Tools are limited by the parent's tools at the session's creation, so that the session's requests always start with
  // the same tools.
  const { tools } = limits().atStart ?? {};
  const names = tools && new Set(tools);
  return {
    offers: (name: string) => names?.has(name) ?? true,
    bash(own: BashSettings): BashSettings {
      const { atStart, now } = limits();
      const all = [own, atStart?.bash ?? own, now?.bash ?? own];
      return { sandbox: all.some(({ sandbox }) => sandbox), network: all.every(({ network }) => network) };
    },
  };
}
