import type { QueueItem } from "@scorel/agent/contract";
import type {} from "@scorel/checkpoints/contract";
import type { Operations } from "@scorel/host/contract";
import { type BaseContext, isEvent } from "@scorel/kernel";
import { typedContent } from "@scorel/kit/session/typed";
import type { ScorelMessage } from "@scorel/messages/contract";
import { z } from "zod";
import type { ShownTasks } from "./background.ts";
import type { CommandResult, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";
import { createRetry } from "./retry.ts";

/** Creates the commands about the work: answers, changes, the queue, and trying again. */
export function workCommands(ctx: BaseContext): Record<string, SlashCommand> {
  const retry = createRetry(ctx);
  const shownTasks: ShownTasks = new Map();
  return {
    copy: {
      summary: "Copy the last answer to the clipboard",
      operations: ["get_events"],
      args: z.object({}),
      run: () => copy(ctx),
    },
    diff: {
      group: "Project",
      summary: "Show how the files have changed since this session started",
      operations: ["list_changes"],
      args: z.object({}),
      run: async (_args, { sessionId, request }) => {
        const { everyPage } = await import("@scorel/host/client");
        const { changes, notCovered } = await everyPage((page) => request("list_changes", { sessionId, ...page }));
        const left = notCovered.map(({ path, reason }) => `not covered: ${path}: ${reason}`);
        const told = changes.map(({ path, kind, diff }) => diff?.trimEnd() ?? `${kind}: ${path}`);
        return { output: [...told, ...left].join("\n") || "No file was changed.", data: { changes, notCovered } };
      },
    },
    queue: {
      summary: "Show the queued messages; delete, move or edit one, or set when it is sent: at once or after the turn",
      operations: ["get_queue"],
      args: z.object({
        action: z.enum(["delete", "move", "edit", "steer", "follow"]).optional(),
        item: z.coerce.number().int().min(1).optional(),
        to: z.string().optional(),
      }),
      run: (asked: QueueChange, context) => queue(ctx, asked, context),
    },
    tasks: {
      summary: "Show what runs in the background: commands and subagents; stop one",
      operations: ["list_background", "stop_background"],
      args: z.object({ action: z.enum(["stop"]).optional(), item: z.string().optional() }),
      run: async (asked: { action?: "stop"; item?: string }, context) =>
        (await import("./background.ts")).tasks(ctx, shownTasks, asked, context),
    },
    retry: {
      summary: "Send the last message again, replacing what followed it",
      operations: ["undo", "send_message"],
      args: z.object({}),
      run: (_args, context) => retry(context),
    },
    init: {
      group: "Project",
      summary: "Have the agent explore the project and write AGENTS.md",
      operations: ["send_message"],
      args: z.object({ words: z.string().optional() }),
      run: async ({ words }: { words?: string }, { sessionId, request }) => {
        const content = words === undefined ? INIT : `${INIT}\n\n${words}`;
        return { turn: (await request("send_message", { sessionId, content })).id };
      },
    },
  };
}

const INIT = `Write AGENTS.md at the root of this project: what an agent that has never seen it needs to work in it well.
Look first: README, manifests, configuration, CI, tests, and the main folders. If AGENTS.md exists, correct and complete it.
Keep it under 80 lines: what the project is, in two sentences; the commands to install, build, run one test, run all tests and
lint, each one that you have found to exist; where things are; the conventions that the code really follows; what to be careful
about. Say nothing that any project could say, and nothing that you did not see.`;

interface QueueChange {
  action?: "delete" | "move" | "edit" | "steer" | "follow";
  item?: number;
  /** The new position or the new text. */
  to?: string;
}
type Wanted = Operations["rewrite_queue"]["params"]["items"];

async function queue(
  ctx: BaseContext,
  { action, item, to }: QueueChange,
  context: SlashContext,
): Promise<CommandResult> {
  const waiting = ctx.session.projection("queue");
  if (action === undefined) return shown(waiting);
  const chosen = item === undefined ? undefined : waiting[item - 1];
  if (item === undefined || !chosen)
    throw errors.COMMAND_NOTHING({
      name: "queue",
      what: `there is no item ${item ?? ""} to ${action}`.replace("  ", " "),
    });
  const items = waiting.map(({ id }) => ({ id }));
  const wanted = CHANGES[action](items, item - 1, to?.trim() ?? "", chosen);
  await context.request("rewrite_queue", { sessionId: context.sessionId, items: wanted });
  return shown(ctx.session.projection("queue"));
}

type Change = (items: Wanted, at: number, to: string, chosen: QueueItem) => Wanted;
const CHANGES: Record<NonNullable<QueueChange["action"]>, Change> = {
  delete: (items, at) => items.toSpliced(at, 1),
  move: (items, at, to) => {
    if (!/^[1-9]\d*$/.test(to))
      throw errors.COMMAND_NOTHING({ name: "queue", what: "move needs the new place, as in /queue move 2 1" });
    return items.toSpliced(at, 1).toSpliced(Number(to) - 1, 0, ...items.slice(at, at + 1));
  },
  edit: (items, at, to, { message }) => {
    if (to === "")
      throw errors.COMMAND_NOTHING({
        name: "queue",
        what: "edit needs the new words, as in /queue edit 1 And the tests",
      });
    const content = typedContent(message.content);
    const pictures = typeof content === "string" ? [] : content.filter(({ type }) => type === "image");
    return changed(items, at, { content: pictures.length === 0 ? to : [{ type: "text", text: to }, ...pictures] });
  },
  steer: (items, at) => changed(items, at, { mode: "steer" }),
  follow: (items, at) => changed(items, at, { mode: "follow_up" }),
};

function changed(items: Wanted, at: number, change: Omit<Wanted[number], "id">): Wanted {
  return items.map((item, index) => (index === at ? { ...item, ...change } : item));
}

function shown(items: readonly QueueItem[]): CommandResult {
  const lines = items.map(
    ({ mode, message }, at) => `${at + 1}. ${mode === "steer" ? "(steer) " : ""}${textOf(message)}`,
  );
  return { output: lines.join("\n") || "The queue is empty.", data: items };
}

function copy({ session }: BaseContext): CommandResult {
  for (let id = session.activeLeaf; id !== null; id = session.tree.parent(id)?.id ?? null) {
    const event = session.tree.get(id);
    const message = isEvent(event, "message") ? event.message : undefined;
    const text = message?.role === "assistant" ? textOf(message) : "";
    if (text !== "")
      return {
        copy: text,
        output: `Copied ${text.length} ${text.length === 1 ? "character" : "characters"}.`,
        data: { text },
      };
  }
  throw errors.COMMAND_NOTHING({ name: "copy", what: "there is no answer yet" });
}

function textOf({ content }: ScorelMessage): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
