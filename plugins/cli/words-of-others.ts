import type { CliCommand } from "./contract.ts";
import { readOption } from "./option.ts";

/**
 * Words that are commands of Claude Code, Codex, opencode or Gemini CLI, with the command lines that do the same here. Without this list, a
 * single such word would be sent to the model as a prompt.
 */
const commands: Readonly<Record<string, readonly string[]>> = {
  app: ["scorel up"],
  auth: ["scorel login"],
  exec: ["scorel -p"],
  history: ["scorel session list"],
  hooks: ["scorel plugin new"],
  settings: ["scorel config show"],
  "setup-token": ["scorel login"],
  signin: ["scorel login"],
  stats: ["scorel usage"],
  tui: ["scorel"],
  ui: ["scorel up"],
  web: ["scorel up"],
};

const AGENTS =
  'Agents for subagents are files in .scorel/agents or .claude/agents. To work with subagents: use = ["subagents"] at the top of ~/.scorel/config.toml.';

/** Commands of other tools without an equivalent here, and what to tell the user. */
const reasons: Readonly<Record<string, string>> = {
  agents: AGENTS,
  agent: AGENTS,
  init: "To have an AGENTS.md written for a project, start scorel there and type /init.",
  update: "Scorel does not update itself: install the new version in the same way as this one.",
  upgrade: "Scorel does not update itself: install the new version in the same way as this one.",
};

/** Actions that other tools have, with the names that most commands of Scorel use. */
const actions: Readonly<Record<string, string>> = {
  create: "new",
  delete: "remove",
  install: "add",
  ls: "list",
  rm: "remove",
  uninstall: "remove",
};

/** Options that other tools have, with those that do the same here. */
const options: Readonly<Record<string, string>> = {
  "--add-dir": "--allow-write",
  "--allowed-tools": "--tools",
  "--allowedTools": "--tools",
  "--approval-mode": "--permission",
  "--ask-for-approval": "--permission",
  "--cd": "--cwd",
  "--dangerously-bypass-approvals-and-sandbox": "--yes",
  "--dangerously-skip-permissions": "--yes",
  "--debug": "--verbose",
  "--full-auto": "--permission edits",
  "--max-budget-usd": "--max-cost",
  "--max-turns": "--max-rounds",
  "--prompt": "--print",
  "--system-prompt": "--append-system-prompt",
  "--yolo": "--yes",
};

/** Values of options that other tools have, with those that mean the same here. */
const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "--output": { jsonl: "events", "stream-json": "events" },
  "--permission": {
    acceptEdits: "edits",
    auto_edit: "edits",
    bypassPermissions: "full",
    default: "ask",
    yolo: "full",
  },
};

/** The command lines that a word of another tool stands for, as far as these commands have them, or why it has none. */
export function meantByOthers(
  word: string,
  known: readonly CliCommand[],
): { commands: string[]; reason: string | undefined } | undefined {
  const [meant = [], reason] = [of(commands, word), of(reasons, word)];
  const root = known.find(({ noun }) => noun === "");
  const names = (root?.options ?? []).flatMap((option) => readOption(option).names);
  const isKnown = (line: string) => {
    const [, first = "", second] = line.split(" ");
    if (first === "") return root !== undefined;
    if (first.startsWith("-")) return names.includes(first);
    return known.some(({ noun, action }) => noun === first && (second === undefined || action === second));
  };
  const lines = meant.filter(isKnown);
  return lines.length > 0 || reason !== undefined ? { commands: lines, reason } : undefined;
}

/** The action of a command that a word of another tool means. */
export function actionOfOthers(word: string, known: readonly string[]): string | undefined {
  const meant = of(actions, word);
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}

/** The option, perhaps with a value, that an option of another tool means. */
export function optionOfOthers(name: string, known: readonly string[]): string | undefined {
  const meant = of(options, name);
  return meant !== undefined && known.includes(meant.split(" ", 1)[0] ?? "") ? meant : undefined;
}

/** The value of an option that a value of another tool means. */
export function valueOfOthers(option: string, value: string, known: readonly string[]): string | undefined {
  const meant = of(of(values, option) ?? {}, value);
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}

function of<V>(table: Readonly<Record<string, V>>, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
