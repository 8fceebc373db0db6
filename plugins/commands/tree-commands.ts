import type {} from "@scorel/history/contract";
import { draw } from "@scorel/history/drawing";
import { z } from "zod";
import type { CommandResult, SlashCommand, SlashContext } from "./contract.ts";

const event = z.object({ event: z.string() });

/** Going back and forth in the conversation. */
export const treeCommands: Record<string, SlashCommand> = {
  rewind: {
    summary: "Go on from an earlier event; what came after stays in the log. --files restores the files, too",
    args: z.object({ event: z.string(), files: z.boolean().optional(), overwrite: z.boolean().optional() }),
    complete: points,
    run: ({ event: targetEventId, ...more }: { event: string; files?: boolean; overwrite?: boolean }, context) =>
      rewind(targetEventId, more, context),
  },
  branch: {
    summary: "Go on at another branch of the conversation",
    args: event,
    complete: async (_key, typed, { sessionId, request }) => {
      const { leaves, idLength } = await request("get_tree", { sessionId, limit: 1 });
      return leaves.map(({ id }) => id.slice(0, Math.max(idLength, typed.length)));
    },
    run: async ({ event: leafEventId }: { event: string }, { sessionId, request }) =>
      said(await request("branch", { sessionId, leafEventId })),
  },
  tree: {
    summary: "Draw the conversation with its branches; --all shows settings and marks, too",
    args: z.object({ all: z.boolean().optional() }),
    run: async ({ all = false }: { all?: boolean }, { sessionId, request }) => {
      const page = await request("get_tree", { sessionId, show: all ? "all" : "tree" });
      const head = page.before === undefined ? "" : `… \`scorel session tree ${sessionId}\` shows earlier ones, too\n`;
      return { output: `${head}${draw(page)}`.trimEnd(), data: page };
    },
  },
  undo: {
    summary: "Take the last message back, with all that came of it; its words can be typed anew",
    run: async (_args, { sessionId, request }) => {
      const undone = await request("undo", { sessionId });
      return { ...said(undone), input: undone.message.text };
    },
  },
  redo: {
    summary: "Undo the last undo",
    run: async (_args, { sessionId, request }) => said(await request("redo", { sessionId })),
  },
};

async function rewind(
  targetEventId: string,
  { files = false, overwrite = false }: { files?: boolean; overwrite?: boolean },
  { sessionId, request }: SlashContext,
): Promise<CommandResult> {
  const moved = await request("rewind", { sessionId, targetEventId, files, overwrite });
  const skipped = moved.files?.skipped.map(({ path, reason }) => `not restored: ${path}: ${reason}`) ?? [];
  const restored = moved.files ? [`${moved.files.restored.length} files restored`] : [];
  return { output: [moved.text, ...restored, ...skipped].join("\n"), data: moved };
}

async function points(_key: string, typed: string, { sessionId, request }: SlashContext): Promise<string[]> {
  const { rows, idLength } = await request("get_tree", { sessionId, show: "path" });
  return rows.filter(({ point }) => point).map(({ id }) => id.slice(0, Math.max(idLength, typed.length)));
}

function said(moved: { text: string }): CommandResult {
  return { output: moved.text, data: moved };
}
