import type { AnyPlugin, ConvertContext } from "@scorel/kernel";
import { asDisplay } from "@scorel/kit/text/display";
import type { ContainedPlugin } from "./contained-plugin.ts";
import { asLlmAction } from "./llm-action.ts";

type Events = NonNullable<AnyPlugin["events"]>;
type Projections = NonNullable<AnyPlugin["projections"]>;

/** Event types whose converters' results are checked, since an invalid one would break a client or every later context. */
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

/** Projections whose running updates are visible to the watchdog. */
export function containedProjections(projections: Projections, contained: ContainedPlugin): Projections {
  return mapped(projections, (name, definition) => ({
    update: (state, event) => contained.run(`projection ${name}`, () => definition.update(state, event)),
  }));
}

/** Copies a table with some members of its rows replaced. */
function mapped<R extends object>(
  table: Record<string, R>,
  change: (name: string, row: R) => Partial<R>,
): Record<string, R> {
  // A row may be an instance of a class, so its other members are inherited instead of copied.
  const rows = Object.entries(table).map(([name, row]) => [name, Object.assign(Object.create(row), change(name, row))]);
  return Object.fromEntries(rows) as Record<string, R>;
}
