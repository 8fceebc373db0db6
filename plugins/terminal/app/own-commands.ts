import type { ListedCommand } from "@scorel/commands/contract";
import type { KeyAction } from "../keys.ts";
import type { Words } from "../words/words.ts";

/** A slash command that this application carries out itself. */
interface OwnCommand {
  name: string;
  /** The action that the command runs when it has no argument; a key may be bound to the same action. */
  action?: KeyAction;
  /** The command of the host that this is another name for. */
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

/** Names that other tools use, by the name of the command that does the same here. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  settings: ["config", "configuration", "preferences", "options"],
  model: ["models", "providers"],
  resume: ["continue", "history", "threads", "conversations"],
  permissions: ["allowed-tools", "approvals", "mode", "plan"],
  presets: ["profiles", "modes"],
  help: ["commands", "keys", "keybindings", "shortcuts"],
  cost: ["usage", "stats", "tokens"],
  clone: ["fork"],
  rewind: ["checkpoint", "checkpoints", "restore-code"],
  think: ["thinking", "effort", "reasoning"],
  new: ["reset"],
  tasks: ["bashes", "jobs", "background", "ps"],
};

/** This application's own command of that name; undefined for commands of the host. */
export function ownCommand(line: string): OwnCommand | undefined {
  const [, name, args = ""] = /^(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  return OWN.find((own) => own.name === name && (own.standsFor !== undefined || args.trim() === ""));
}

/** The command here that does what the command `name` does in other tools; undefined if there is none. */
export function meantBy(name: string): string | undefined {
  return Object.keys(ELSEWHERE).find((own) => ELSEWHERE[own]?.includes(name));
}

/** Whether other tools have a name for the command `name` that begins with `typed`. */
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
  // They go below the first heading, which is that of the session.
  const end = commands.findIndex(({ group }) => group !== "Session");
  return end < 0 ? [...commands, ...own] : [...commands.slice(0, end), ...own, ...commands.slice(end)];
}
