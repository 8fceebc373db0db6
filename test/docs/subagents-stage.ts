import { type Reply, text, toolCall, usage } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

const report = "`total` in src/cart.js:1 adds up price times count. Nothing else computes a total.";

/** The replies of the guide's model, in the order of its requests: the session's, with its subagents' in between. */
const script: Reply[] = [
  [
    toolCall("Task", {
      description: "Find where totals are computed",
      prompt: "Find every place that computes a total.",
      agent: "explore",
    }),
    usage({ input: 1900, output: 40 }),
  ],
  [toolCall("Grep", { pattern: "total" }), usage({ input: 900, output: 20 })],
  [text(report), usage({ input: 1000, output: 25 })],
  [text("Totals are computed in one place: src/cart.js:1."), usage({ input: 2000, output: 15 })],
  [
    toolCall("Task", { description: "Check the names", prompt: "Check the names in src.", agent: "naming" }),
    usage({ input: 1900, output: 40 }),
  ],
  [text("Two names are unclear: i and sum."), usage({ input: 900, output: 12 })],
  [text("I would rename i and sum."), usage({ input: 2000, output: 10 })],
  [text("Done."), usage({ input: 1900, output: 5 })],
  [text("Done."), usage({ input: 1900, output: 5 })],
];

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only ids, times and
 * the like differ.
 */
export async function playSubagents(): Promise<string> {
  using home = stage();
  await using server = await spawnModelServer(script);
  const written = read("docs/guide/subagents.md");
  const played = play(written, home, server.baseUrl);
  return comparable(played) === comparable(written) ? written : played;
}
