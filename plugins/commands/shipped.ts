import type { BaseContext } from "@scorel/kernel";
import type { ListedCommand, SlashCommand } from "./contract.ts";
import { modelCommands } from "./model-commands.ts";
import { sessionCommands } from "./session-commands.ts";
import { windowCommands } from "./window-commands.ts";
import { workCommands } from "./work-commands.ts";

/** Creates the built-in commands. Other plugins add theirs; `/compact`, for example, belongs to `compaction`. */
export function shipped(ctx: BaseContext, list: () => ListedCommand[]): Record<string, SlashCommand> {
  return {
    help: {
      summary: "List the commands",
      operations: ["list_commands"],
      run: () => {
        const commands = list();
        const width = Math.max(...commands.map(({ usage }) => usage.length));
        const lines = commands.map(
          ({ usage, description }) => `${usage.padEnd(Math.min(width, WIDEST))}  ${description}`,
        );
        return { output: lines.join("\n"), data: commands };
      },
    },
    ...sessionCommands,
    ...modelCommands(ctx),
    ...windowCommands(ctx),
    ...workCommands(ctx),
  };
}

const WIDEST = 34;
