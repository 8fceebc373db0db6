import type { AnyPlugin } from "@scorel/kernel";
import { metaAt } from "@scorel/kit/schema/keys";
import { type KeyPath, leavesOf, type Table } from "@scorel/kit/values/table";
import type { LayerNotice } from "./contract.ts";

/**
 * Explains why an accepted value may not do what its author expects, and what to do. Schemas attach it to a key with
 * `.meta({ examine })`. It runs only when the configuration is shown or checked, not at each start.
 */
type Examine = (
  value: unknown,
  around: Surroundings,
) => Promise<Pick<LayerNotice, "text" | "severity" | "doNext"> | undefined>;

/** Facts about the configuration that a rule's examination may use in addition to the rule. No session is open. */
interface Surroundings {
  /** Whether extensions are used. What they contribute is known only in a session. */
  hasExtensions: boolean;
}

/** The merged tables of plugins, by id. */
interface Values {
  tables: Table;
  /** `file:line` of a value. */
  placeOf(path: KeyPath): string;
}

/** Runs the plugins' `examine` functions on the merged values, and returns their notices with `file:line`. */
export async function examineValues(
  { tables, placeOf }: Values,
  plugins: Iterable<AnyPlugin>,
  around: Surroundings,
): Promise<LayerNotice[]> {
  const notices: LayerNotice[] = [];
  for (const { id, config } of plugins) {
    const values = leavesOf(tables[id] ?? {}, []).flatMap(({ path, value }) =>
      Array.isArray(value) ? value.map((each, at) => ({ path: [...path, at], value: each })) : [{ path, value }],
    );
    for (const { path, value } of values) {
      const examine = metaAt(config, path, "examine") as Examine | undefined;
      const found = await examine?.(value, around);
      const where = placeOf([id, ...path]);
      if (found) notices.push({ code: "CONFIG_NO_EFFECT", ...found, text: `${found.text} (${where})`, where });
    }
  }
  return notices;
}
