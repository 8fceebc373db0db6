import type { AnyPlugin, ConvertContext } from "@scorel/kernel";
import { asDisplay } from "@scorel/kit/text/display";
import type { ContainedPlugin } from "./contained-plugin.ts";
import { asLlmAction } from "./llm-action.ts";

type Events = NonNullable<AnyPlugin["events"]>;
type Projections = NonNullable<AnyPlugin["projections"]>;

/** Definitions of event types whose converters' answers are checked: a face or a context that takes them in would fail. */
export function containedEvents(events: Events): Events {
  return mapped(events, (type, definition) => ({
    ...(definition.convertToDisplay && {
      convertToDisplay: (...given) => asDisplay(type, definition.convertToDisplay?.(...given)),
    }),
    ...(!definition.transient && {
      convertsAnew: true,
      ...(definition.convertToLlm && {
        convertToLlm: (event: unknown, lookup: ConvertContext) =>
          asLlmAction(type, definition.convertToLlm?.(event, lookup), lookup.find("isMessage") ?? (() => true)),
      }),
    }),
  }));
}

/** Definitions of projections that are known to run while they do. */
export function containedProjections(projections: Projections, contained: ContainedPlugin): Projections {
  return mapped(projections, (name, definition) => ({
    update: (state, event) => contained.run(`projection ${name}`, () => definition.update(state, event)),
  }));
}

/** The same table, with some members of its rows replaced. */
function mapped<R extends object>(
  table: Record<string, R>,
  change: (name: string, row: R) => Partial<R>,
): Record<string, R> {
  // A row may be an instance of a class: what is not replaced stays on it.
  const rows = Object.entries(table).map(([name, row]) => [name, Object.assign(Object.create(row), change(name, row))]);
  return Object.fromEntries(rows) as Record<string, R>;
}
