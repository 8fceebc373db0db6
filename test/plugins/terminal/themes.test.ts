import { expect, it } from "vitest";
import { config } from "../../../plugins/terminal/config.ts";
import { chosenTheme } from "../../../plugins/terminal/theme/choose.ts";

it("a theme of the user is a table of colours over those that suit the background", () => {
  const { theme, colors } = config.parse({
    theme: "dusk",
    colors: { dusk: { accent: "bright-magenta", full: "bold white on #802020" } },
  });
  const dusk = chosenTheme({ theme, colors, env: {} }, { red: 0, green: 0, blue: 0 });
  expect([dusk.name, dusk.style("accent", "a"), dusk.style("full", "b"), dusk.style("error", "c")]).toEqual([
    "dusk",
    "\u001b[95ma\u001b[0m",
    "\u001b[1;37;48;2;128;32;32mb\u001b[0m",
    "\u001b[38;5;203mc\u001b[0m",
  ]);
  const plain = chosenTheme({ theme, colors, env: { NO_COLOR: "1" } });
  expect([plain.name, plain.style("error", "c")]).toEqual(["none", "\u001b[1mc\u001b[0m"]);
});

it.each([
  ["a role that there is none of", { dusk: { accents: "red" } }, /"accents" has no colour; the names are .*accent/],
  ["a colour that is none", { dusk: { accent: "reddish" } }, /"reddish" is not a colour; write "red"/],
])("%s is refused with what is wrong", (_, colors, what) => {
  expect(config.safeParse({ colors }).error?.issues[0]?.message).toMatch(what);
});

it("a theme that does not exist is answered with the names of those that do", () => {
  const messages = (given: object) => config.safeParse(given).error?.issues.map(({ path, message }) => [path, message]);
  expect([messages({ theme: "drak" }), messages({ theme: "dusk", colors: { dusk: {} } })]).toEqual([
    [[["theme"], 'there is no theme "drak". Did you mean "dark"? The themes are auto, dark, light, none']],
    undefined,
  ]);
});
