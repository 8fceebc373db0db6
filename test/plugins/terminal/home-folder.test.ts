import { homedir } from "node:os";
import { expect, it } from "vitest";
import { en } from "../../../plugins/terminal/words/en.ts";
import { screened } from "./recorded.ts";

it.each([
  ["in the home folder", "/shop", "~/shop"],
  ["beside the home folder, whose name begins like it", "ice/shop", `${homedir()}ice/shop`],
])("the greeting names a folder %s as it is", async (_, below, shown) => {
  const cwd = homedir() + below;
  using screen = await screened([], { columns: 120, rows: 20, words: en, theme: "dark", cwd });
  expect(screen.text().split(/\s+/)).toContain(shown);
});
