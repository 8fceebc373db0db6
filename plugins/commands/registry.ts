import type { BaseContext } from "@scorel/kernel";
import { flawOfKey } from "@scorel/kit/terminal/key-names";
import { type Claim, claim } from "@scorel/kit/values/claims";
import { namesakes } from "@scorel/kit/values/namesakes";
import { shortened, usageOf } from "./arguments.ts";
import type { ListedCommand, SlashCommand } from "./contract.ts";
import { errors } from "./errors.ts";
import { byGroup, OTHER } from "./groups.ts";
import { insteadOf } from "./names-of-others.ts";
import { shipped } from "./shipped.ts";
import { templates } from "./templates.ts";
import { usableCommands } from "./usable-commands.ts";

/** A command with its name and origin. */
export interface Row {
  name: string;
  plugin: string;
  command: SlashCommand;
}

/** The slash commands of a session: the built-in ones, and those of plugins and Markdown files. */
export class CommandRegistry {
  private readonly ctx: BaseContext;
  /** The built-in commands. Some of them keep state of the session. */
  private readonly own: Readonly<Record<string, SlashCommand>>;
  /** The problems with command files that were already reported. The files are read again for every list. */
  private readonly told = new Set<string>();

  constructor(ctx: BaseContext) {
    this.ctx = ctx;
    this.own = shipped(ctx, () => this.list());
  }

  /** Lists all slash commands of the session, sorted by their headings and names. */
  async list(): Promise<ListedCommand[]> {
    return [...(await this.rows()).values()]
      .map(({ name, plugin, command }) => ({
        name,
        plugin,
        description: command.summary ?? command.description ?? "",
        usage: usageOf(name, command.args, command.hint),
        group: command.group ?? OTHER,
        ...(command.keys !== undefined && { keys: keysOf(command) }),
        ...(command.choices && { chooses: true as const }),
        ...(command.sealed && { sealed: true as const }),
      }))
      .sort((a, b) => byGroup(a.group, b.group) || (a.name < b.name ? -1 : 1));
  }

  /** The command of this name. Throws COMMAND_UNKNOWN and COMMAND_INVALID. */
  async find(name: string): Promise<Row> {
    const { rows, flawed } = await this.collect();
    const found = rows.get(name);
    const flaw = flawed.get(name);
    if (!found && flaw) throw flaw;
    if (!found)
      throw errors.COMMAND_UNKNOWN({
        name: shortened(name),
        near: similarNames(name, [...rows.keys()]),
        instead: insteadOf(name),
      });
    return found;
  }

  /** Returns the commands by name. A template file is used only for a name that no plugin has. */
  async rows(): Promise<Map<string, Row>> {
    return (await this.collect()).rows;
  }

  /** Collects the commands by name, and the errors of unusable ones. */
  private async collect(): Promise<{ rows: Map<string, Row>; flawed: Map<string, Error> }> {
    const { ctx } = this;
    const files = await templates(ctx.find("workspace"), (flaw) => this.tellOnce(flaw));
    const flawed = new Map<string, Error>();
    const claimed = new Map<string, Row & Claim>();
    const { plugin } = ctx;
    for (const [name, command] of Object.entries(this.own))
      claimed.set(name, { name, plugin, command, replaces: false, report: () => {} });
    ctx.collect("commands", (value, plugin, report, replaces) => {
      const usable = usableCommands(value, plugin, (name, flaw) => {
        flawed.set(name, flaw);
        report(flaw);
      });
      for (const [name, command] of Object.entries(usable)) {
        for (const flaw of keysOf(command).flatMap((key) => flawOfKey(key) ?? []))
          report(errors.COMMAND_KEY({ name, plugin, flaw }));
        const known = claimed.get(name);
        if (known?.command.sealed && known.plugin !== plugin) {
          report(errors.COMMAND_SEALED({ name, plugin, owner: known.plugin }));
          continue;
        }
        claim(claimed, { name, plugin, command, replaces: replaces.includes(name), report }, errors.COMMAND_DUPLICATE);
      }
    });
    const rows = new Map<string, Row>(files.map((row) => [row.name, row]));
    for (const [name, row] of claimed) rows.set(name, row);
    return { rows, flawed };
  }

  private tellOnce(flaw: Error): void {
    if (this.told.has(flaw.message)) return;
    this.told.add(flaw.message);
    this.ctx.report("", flaw);
  }
}

function keysOf({ keys = [] }: SlashCommand): string[] {
  return [keys].flat();
}

/**
 * Returns up to three similar names: those that have the name as a part, else those that share the longest beginning, since typos are rarely
 * in the first letters.
 */
function similarNames(name: string, names: readonly string[]): string[] {
  const same = namesakes(name, names);
  if (same.length > 0) return same.slice(0, 3);
  return names
    .map((each) => ({ each, shared: sharedLength(each, name) }))
    .filter(({ shared }) => shared >= 2)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, 3)
    .map(({ each }) => each);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]?.toLowerCase()) length++;
  return length;
}
