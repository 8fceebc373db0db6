import { titled } from "@scorel/kit/text/call-title";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { outputBudget } from "../budget.ts";
import { brief, card } from "../display.ts";
import type { Environment } from "../environment.ts";
import { readsOf } from "../files/paths.ts";
import { answer, answering } from "../result.ts";
import { type GrepParams, parameters } from "./grep-params.ts";

/** The tool Grep. Matches are sorted by path and line; long lines are cut around the match. */
export function createGrep(env: Environment): Tool<GrepParams> {
  return {
    name: "Grep",
    description: "Search file contents (ripgrep). Leaves out ignored and hidden files.",
    parameters,
    access: () => "read",
    reads: ({ path = "." }) => readsOf(path, env),
    execute: (id, params, signal) => answering(signal, () => grep(id, params, env, signal)),
    display: (params, result) => card(titled("Grep", params.pattern), result, brief(result)),
  };
}

async function grep(
  id: string,
  params: GrepParams,
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<ToolOutput> {
  const [{ openSearchPlace }, search] = await Promise.all([import("./search-place.ts"), import("./grep-search.ts")]);
  const asked = { path: params.path, shows: "contents", approved: env.approvedReads(id), signal } as const;
  await using place = await openSearchPlace(asked, env);
  const budget = outputBudget(env.context());
  env.claim(id, budget);
  const { text, details } = await search.searchContents(params, place, budget);
  env.claim(id, Buffer.byteLength(text));
  return answer(text, details);
}
