import { nearest } from "@scorel/kit/values/nearest";
import { z } from "zod";
import { keySettings } from "./input/key-config.ts";
import { colorOf, themes } from "./theme/choose.ts";
import { dark } from "./theme/colors.ts";

const roles = Object.keys(dark);

/** Colours of a theme, by role. */
const colors = z
  .record(z.string(), z.string())
  .superRefine((given, context) => {
    for (const [role, color] of Object.entries(given)) {
      if (!roles.includes(role))
        context.addIssue({
          code: "custom",
          path: [role],
          message: `"${role}" has no colour; the names are ${roles.join(", ")}`,
        });
      else if (colorOf(color) === undefined)
        context.addIssue({
          code: "custom",
          path: [role],
          message: `"${color}" is not a colour; write "red", "bright-blue", "214", "#ff8800" or "bold white on #202020"`,
        });
    }
  })
  .transform((given) => Object.fromEntries(Object.entries(given).map(([role, color]) => [role, colorOf(color) ?? ""])));

const table = z.strictObject({
  theme: z
    .string()
    .default("auto")
    .describe(
      "`auto` follows the background of the terminal; `dark`, `light`, `none` (no colours), or the name of a table in `[terminal.colors]`",
    ),
  language: z
    .enum(["auto", "en", "zh"])
    .default("auto")
    .describe("language of the application; `auto` follows the locale"),
  mouse: z
    .boolean()
    .default(true)
    .describe(
      "the wheel scrolls and a click opens a card; hold Shift to select text. Off: the terminal keeps the mouse",
    ),
  notify: z
    .union([z.boolean(), z.enum(["bell", "osc9", "osc777"])])
    .default(true)
    .describe(
      "calls you when a turn of more than ten seconds ends or asks something: `true` rings the bell and shows a notification where the terminal is known to have them, `bell` only rings, `osc9` and `osc777` send that sequence to any terminal",
    ),
  images: z
    .enum(["auto", "kitty", "iterm2", "off"])
    .default("auto")
    .describe(
      "how pictures are shown: `auto` in terminals that are known to show them (Kitty, Ghostty, iTerm2, WezTerm) and not within tmux; `kitty` and `iterm2` send that protocol to any terminal; `off` shows a line",
    ),
  colors: z
    .record(z.string(), colors)
    .default({})
    .describe("colours of themes: a table for each theme, `dark` and `light` among them"),
  keys: keySettings
    .default({})
    .describe('keys of actions and commands, as in `expand = "ctrl+x"` and `"/undo" = "alt+u"`'),
});

/** Schema of the table `[terminal]`. */
export const config = table.superRefine(({ theme, colors }, context) => {
  const names = ["auto", ...Object.keys(themes), ...Object.keys(colors).filter((name) => !(name in themes))];
  if (names.includes(theme)) return;
  const near = nearest(theme, names);
  const meant = near === undefined ? "" : `Did you mean "${near}"? `;
  const message = `there is no theme "${theme}". ${meant}The themes are ${names.join(", ")}`;
  context.addIssue({ code: "custom", path: ["theme"], message });
});

export type Settings = z.output<typeof config>;
