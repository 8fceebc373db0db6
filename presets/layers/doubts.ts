import type { AnyPlugin } from "@scorel/kernel";
import { metaAt } from "@scorel/kit/schema/keys";
import { leavesOf } from "@scorel/kit/values";
import type { Merged } from "./merge.ts";

/**
 * Why a value that is accepted may not do what its writer expects. A schema says it of a key by `.meta({ doubt })`; it is told
 * where somebody looks at the configuration, not at each start.
 */
export type Doubt = (value: unknown) => Promise<string | undefined>;

/** What plugins doubt of the merged values, each with its place. */
export async function doubtsIn({ tables, placeOf }: Merged, plugins: Iterable<AnyPlugin>): Promise<string[]> {
  const doubts: string[] = [];
  for (const { id, config } of plugins) {
    const values = leavesOf(tables[id] ?? {}, []).flatMap(({ path, value }) =>
      Array.isArray(value) ? value.map((each, at) => ({ path: [...path, at], value: each })) : [{ path, value }],
    );
    for (const { path, value } of values) {
      const doubt = metaAt(config, path, "doubt") as Doubt | undefined;
      const why = await doubt?.(value);
      if (why !== undefined) doubts.push(`${why} (${placeOf([id, ...path])})`);
    }
  }
  return doubts;
}
