import { type Reply, text, toolCall, usage } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

const spent = usage({ input: 2000, output: 20 });
const edit = (old_string: string, new_string: string) =>
  toolCall("Edit", { file_path: "src/cart.js", old_string, new_string });

/** The replies of the guide's model, in the order of its requests. */
const script: Reply[] = [
  [toolCall("Read", { file_path: "src/cart.js" }), spent],
  [text("It adds up price times count of every item but the first."), spent],
  [edit("let i = 1", "let i = 0"), spent],
  [text("Done: the loop starts at 0 now."), spent],
  [
    edit(
      "for (let i = 1; i < items.length; i++) sum += items[i].price * items[i].count;",
      "for (const item of items) sum += item.price * item.count;",
    ),
    spent,
  ],
  [text("Done: it goes through the items themselves."), spent],
  [text("Yes: give it a second parameter with the rate."), spent],
];

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only ids, times and
 * the like differ.
 */
export async function playTimeTravel(): Promise<string> {
  using home = stage();
  await using server = await spawnModelServer(script);
  home.useModel(server.baseUrl);
  const written = read("docs/guide/time-travel.md");
  const played = play(written, home, server.baseUrl);
  return comparable(played) === comparable(written) ? written : played;
}
