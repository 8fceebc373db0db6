import type { BaseContext } from "@scorel/kernel";
import { z } from "zod";
import type { ListedCommand, SlashCommand } from "./contract.ts";
import { groupedLines, inGroup } from "./groups.ts";
import { modelCommands } from "./model-commands.ts";
import { sessionCommands } from "./session-commands.ts";
import { windowCommands } from "./window-commands.ts";
import { workCommands } from "./work-commands.ts";

/** Creates the built-in commands. Other plugins add theirs; `/compact`, for example, belongs to `compaction`. */
export function shipped(ctx: BaseContext, list: () => Promise<ListedCommand[]>): Record<string, SlashCommand> {
  return {
    help: {
      summary: "List the commands",
      group: "Session",
      operations: ["list_commands"],
      args: z.object({}),
      run: async () => {
        const commands = await list();
        return { output: groupedLines(commands, WIDEST).join("\n"), data: commands };
      },
    },
    ...inGroup("Session", sessionCommands(ctx)),
    ...inGroup("Model", modelCommands(ctx)),
    ...inGroup("Conversation", windowCommands(ctx)),
    ...inGroup("Conversation", workCommands(ctx)),
  };
}

const WIDEST = 34;
