import type { BaseContext, DisplayAction } from "@scorel/kernel";
import { asDisplay } from "@scorel/kit/text/display";
import type { CustomDisplay, CustomEvent } from "./contract.ts";
import { errors } from "./errors.ts";

interface Row {
  plugin: string;
  display: CustomDisplay;
}

/** Creates the service `customDisplay`. The renderers are collected at the first event, and again when they have changed. */
export function createCustomDisplay(ctx: BaseContext): (event: CustomEvent) => DisplayAction | undefined {
  let rows: Map<string, Row> | undefined;
  ctx.onContributed("displays", () => {
    rows = undefined;
  });
  return (event) => {
    rows ??= collectRows(ctx);
    const row = rows.get(event.kind);
    if (!row) return undefined;
    const where = `display of ${event.kind}`;
    return ctx.attempt<DisplayAction | undefined>({ plugin: row.plugin, where, otherwise: undefined }, () =>
      asDisplay(event.kind, row.display(event)),
    );
  };
}

/** Returns the renderers by kind. Of two plugins with the same kind, the later one wins. */
function collectRows(ctx: BaseContext): Map<string, Row> {
  const collected = ctx.collect("displays", usable);
  return new Map(
    collected.flatMap(({ plugin, value }) =>
      Object.entries(value).map(([kind, display]) => [kind, { plugin, display }] as const),
    ),
  );
}

function usable(value: unknown, plugin: string, report: (flaw: unknown) => void): Record<string, CustomDisplay> {
  if (typeof value !== "object" || Array.isArray(value)) throw errors.MESSAGES_DISPLAYS({ plugin });
  const entries = Object.entries(value as Record<string, CustomDisplay>).filter(([kind, display]) => {
    if (typeof display !== "function") report(errors.MESSAGES_DISPLAYS({ plugin, kind }));
    return typeof display === "function";
  });
  return Object.fromEntries(entries);
}
