import type { SessionView } from "@scorel/host/client";
import { safeLine } from "../rows/safe.ts";
import { cut } from "../rows/wrap.ts";
import type { Theme } from "../theme/theme.ts";

type Panels = SessionView["status"]["panels"];

/** The most lines of all panels together, with their titles. */
const MOST = 12;
const OF_ONE = 6;

/** The panels of plugins above the field, each with the plugin's name, in a frame that no part of Scorel itself has. */
export function pluginPanels(panels: Panels, width: number, theme: Theme): string[] {
  const all = panels.flatMap(({ plugin, lines }) => {
    const title = theme.style("faint", "╭ ") + theme.style("muted", safeLine(plugin));
    return [
      title,
      ...lines.slice(0, OF_ONE).map((line) => theme.style("faint", "│ ") + theme.style("muted", safeLine(line))),
    ];
  });
  const shown =
    all.length > MOST ? [...all.slice(0, MOST - 1), theme.style("muted", `  + ${all.length - MOST + 1}`)] : all;
  return shown.map((line) => cut(line, width));
}
