import type { ListedCommand } from "@scorel/commands/contract";
import type { KeyAction } from "../keys.ts";
import type { Words } from "../words/words.ts";

/** A slash command that this application carries out itself. */
interface OwnCommand {
  name: string;
  /** What it does without an argument, as a key does. */
  action?: KeyAction;
  /** The command of the host that it is another name of. */
  standsFor?: string;
  leaves?: true;
}

const OWN: readonly OwnCommand[] = [
  { name: "help", action: "help" },
  { name: "resume", action: "sessions" },
  { name: "sessions", action: "sessions" },
  { name: "rename", standsFor: "name" },
  { name: "permissions", standsFor: "permission" },
  { name: "settings", action: "settings" },
  { name: "presets", action: "presets" },
  { name: "skills", action: "skills" },
  { name: "branches", action: "branches" },
  { name: "queue", action: "queue" },
  { name: "model", action: "models" },
  { name: "exit", leaves: true },
  { name: "quit", leaves: true },
];

/** Names that other tools have for what a command does. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  settings: ["config", "configuration", "preferences", "options"],
  model: ["models", "providers"],
  resume: ["continue", "history", "threads", "conversations"],
  permissions: ["allowed-tools", "approvals", "mode"],
  presets: ["agents", "profiles", "modes"],
  help: ["commands", "keys", "keybindings", "shortcuts"],
  cost: ["usage", "stats", "tokens"],
  clone: ["fork"],
  rewind: ["checkpoint", "checkpoints", "restore-code"],
  think: ["thinking", "effort", "reasoning"],
  new: ["reset"],
};

/** What a command's name stands for in this application; undefined for commands of the host alone. */
export function ownCommand(line: string): OwnCommand | undefined {
  const [, name, args = ""] = /^(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  return OWN.find((own) => own.name === name && (own.standsFor !== undefined || args.trim() === ""));
}

/** The command that somebody means who knows it by the name that another tool has for it. */
export function meantBy(name: string): string | undefined {
  return Object.keys(ELSEWHERE).find((own) => ELSEWHERE[own]?.includes(name));
}

/** Whether a command goes by a name that begins like this in other tools. */
export function isKnownAs(name: string, typed: string): boolean {
  return typed.length > 1 && (ELSEWHERE[name] ?? []).some((other) => other.startsWith(typed));
}

/** The commands of the host and those of this application, below their headings. */
export function withOwn(commands: readonly ListedCommand[], words: Words): ListedCommand[] {
  const isListed = (name: string) => commands.some((command) => command.name === name);
  const own = OWN.filter(({ name }) => !isListed(name)).map(
    ({ name, action, standsFor }): ListedCommand => ({
      name,
      usage: commands.find((command) => command.name === standsFor)?.usage.replace(/^\/\S+/, `/${name}`) ?? `/${name}`,
      description:
        action !== undefined
          ? (words.actions[action] ?? "")
          : standsFor === undefined
            ? words.leaveCommand
            : words.sameAs(`/${standsFor}`),
      group: "Session",
      plugin: "terminal",
    }),
  );
  // They stand with the first heading, which is that of the session.
  const end = commands.findIndex(({ group }) => group !== "Session");
  return end < 0 ? [...commands, ...own] : [...commands.slice(0, end), ...own, ...commands.slice(end)];
}
