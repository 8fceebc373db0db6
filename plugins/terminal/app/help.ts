import type { ListedCommand } from "@scorel/commands/contract";
import { type KeyAction, type KeyGroup, type Keys, keyGroups } from "../keys.ts";
import type { Component } from "../parts.ts";
import { safeLine } from "../rows/safe.ts";
import { columnsIn, cut, wrapped } from "../rows/wrap.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";
import { keysOf } from "./contributed.ts";

export interface HelpParts {
  theme: Theme;
  words: Words;
  keys: Keys;
  /** Actions that this application carries out. */
  actions: ReadonlySet<KeyAction>;
  commands: readonly ListedCommand[];
  rows(): number;
  close(): void;
}

/** The help: all keys and commands, shown instead of the conversation. */
export class Help implements Component {
  private readonly parts: HelpParts;
  private from = 0;
  private length = 0;

  constructor(parts: HelpParts) {
    this.parts = parts;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { keys, rows, close } = this.parts;
    const page = Math.max(1, rows() - 4);
    if (keys.is(data, "cancel") || keys.is(data, "help") || data === "q") close();
    else if (keys.is(data, "down")) this.scroll(1);
    else if (keys.is(data, "up")) this.scroll(-1);
    else if (keys.is(data, "pageDown") || data === " ") this.scroll(page);
    else if (keys.is(data, "pageUp")) this.scroll(-page);
  }

  scroll(by: number): void {
    this.from = Math.max(0, Math.min(this.from + by, this.length - this.parts.rows() + 4));
  }

  render(width: number): string[] {
    const { theme, words, keys, rows } = this.parts;
    const lines = this.lines(width);
    this.length = lines.length;
    const height = Math.max(1, rows() - 3);
    const shown = lines.slice(this.from, this.from + height);
    const foot = theme.style("muted", words.helpClose(keys.labels("cancel").join(", ")));
    return [theme.style("heading", words.helpTitle), ...shown, "", cut(foot, width)];
  }

  private lines(width: number): string[] {
    const { theme, words, keys, actions, commands } = this.parts;
    const typed = ["", theme.style("strong", words.typedTitle), ...columns(words.typed, width, theme)];
    const groups = (Object.keys(keyGroups) as KeyGroup[]).flatMap((group) => {
      const rows = (Object.keys(keyGroups[group]) as KeyAction[]).flatMap((action) => {
        const what = words.actions[action];
        const named = keys.labels(action);
        return what === undefined || named.length === 0 || !actions.has(action)
          ? []
          : [{ left: named.join(", "), right: what }];
      });
      return rows.length === 0 ? [] : ["", theme.style("strong", words.groups[group]), ...columns(rows, width, theme)];
    });
    // Hosts of earlier versions name no headings.
    const headings = [...new Set(commands.map(({ group = "" }) => group))];
    const listed = headings.flatMap((heading) => {
      const own = commands.filter(({ group = "" }) => group === heading);
      const rows = own.map((command) => {
        const bound = keysOf(command, keys);
        const left = [safeLine(command.usage), ...bound].join(", ");
        return { left, right: safeLine(command.description) };
      });
      const title = [words.commandsTitle, safeLine(heading)].filter((part) => part !== "").join(": ");
      return ["", theme.style("strong", title), ...columns(rows, width, theme)];
    });
    return [...typed, ...groups, ...listed];
  }
}

/** Formats rows in two columns; in a narrow window, the second column is put below the first. */
function columns(rows: readonly { left: string; right: string }[], width: number, theme: Theme): string[] {
  const left = Math.min(32, Math.max(...rows.map((row) => columnsIn(row.left))));
  return rows.flatMap((row) => {
    const isApart = width < 60 || columnsIn(row.left) > left;
    const name = theme.style("accent", row.left);
    if (isApart) return [...wrapped(`  ${name}`, width, "    "), ...wrapped(`    ${row.right}`, width, "    ")];
    const room = " ".repeat(left - columnsIn(row.left) + 2);
    return wrapped(`  ${name}${room}${row.right}`, width, " ".repeat(left + 4));
  });
}
