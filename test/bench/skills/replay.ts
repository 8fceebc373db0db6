import type { Scenario } from "./scenarios.ts";
import { openFolder } from "./session.ts";
import type { Wire } from "./tokens.ts";

/** What is loaded before the first request; with everything loaded, a session works without progressive disclosure. */
export type Before = "nothing" | "bodies" | "bodies and docs";

/**
 * Plays a scenario in a session over HTTP, and returns the bodies of the measured requests as the server received them.
 */
export async function replay(
  folder: string,
  { turns, measured }: Scenario,
  { table = {}, before = "nothing" }: { table?: object; before?: Before } = {},
): Promise<readonly Wire[]> {
  const script = turns.flatMap(({ replies }) => replies);
  await using t = await openFolder(folder, script, table);
  if (before !== "nothing") await t.loadAll(before === "bodies and docs");
  for (const { ask } of turns) {
    const { reason, error } = await (await t.agent.send(ask)).turn;
    if (reason !== "completed") throw new Error(`the scenario ended early: ${error?.message ?? reason}`);
  }
  if (t.requests.length !== script.length) throw new Error(`${t.requests.length} requests, not ${script.length}`);
  return t.requests.slice(-measured).map(({ body }) => body as Wire);
}
