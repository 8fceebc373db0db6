import { titled } from "@scorel/kit/text/call-title";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import { outputBudget } from "../budget.ts";
import { brief, card } from "../display.ts";
import type { Environment } from "../environment.ts";
import { readsOf } from "../files/paths.ts";
import { answer, answering } from "../result.ts";

const DEFAULT_LIMIT = 200;

const parameters = z.object({
  pattern: z.string().describe("such as src/**/*.ts"),
  path: z.string().optional(),
  hidden: z.boolean().optional(),
  offset: z.int().min(0).optional(),
  limit: z.int().min(1).max(5_000).optional().describe("default 200"),
});
type Params = z.output<typeof parameters>;

/** The tool Glob, which lists files sorted by path, without hidden and ignored ones. */
export function createGlob(env: Environment): Tool<Params> {
  return {
    name: "Glob",
    description: "List files by glob, sorted by path. Leaves out ignored and hidden files.",
    parameters,
    access: () => "read",
    reads: async (params) => {
      const { folderAndGlob } = await import("./search-place.ts");
      return readsOf((await folderAndGlob(params, env)).path ?? ".", env);
    },
    execute: (id, params, signal) => answering(signal, () => glob(id, params, env, signal)),
    display: (params, result) => card(titled("Glob", params.pattern), result, brief(result)),
  };
}

async function glob(
  id: string,
  params: Params,
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<ToolOutput> {
  const [{ filesOf, openSearchPlace, hiddenOptions, folderAndGlob }, { fitting, pageHeader, pageOf }] =
    await Promise.all([import("./search-place.ts"), import("./page.ts")]);
  const { hidden, offset = 0, limit = DEFAULT_LIMIT } = params;
  const { path, pattern } = await folderAndGlob(params, env);
  await using place = await openSearchPlace({ path, shows: "names", approved: env.approvedReads(id), signal }, env);
  const names = await filesOf(place, hiddenOptions(hidden, pattern), pattern);
  const page = pageOf(names.sort(), offset, limit);
  const shown = { ...page, items: page.items.map(place.shown) };
  const fits = fitting(shown, outputBudget(env.context()), (name) => name);
  const text = [pageHeader(fits, "file"), ...fits.items].join("\n");
  env.claim(id, Buffer.byteLength(text));
  return answer(text, {
    files: fits.items,
    offset,
    total: fits.total,
    ...(fits.next !== undefined && { nextOffset: fits.next }),
  });
}
