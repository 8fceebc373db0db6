import type { Choice, CommandResult, SlashCommand, SlashContext } from "@scorel/commands/contract";
import type { PageParams } from "@scorel/host/contract";
import type { UserMessage } from "@scorel/messages/contract";
import { z } from "zod";
import type { FilesRestored, Moved, MovePreview } from "./contract.ts";

/** The flags of the commands that can restore the files. */
const withFiles = {
  files: z.boolean().optional(),
  overwrite: z.boolean().optional(),
  yes: z.boolean().optional(),
};

/** Commands that move within the conversation. */
export const treeCommands = (): Record<string, SlashCommand> => ({
  rewind: {
    group: "Conversation",
    summary: "Continue from an earlier event, or start; later events stay in the log. --files also restores the files",
    operations: ["rewind"],
    args: z.object({ event: z.string(), ...withFiles }),
    choices: placesToGo,
    complete: points,
    run: (asked: Back, context) => rewind(asked, context),
  },
  branch: {
    group: "Conversation",
    summary: "Switch to another branch of the conversation",
    operations: ["branch"],
    args: z.object({ event: z.string() }),
    complete: async (_key, typed, { sessionId, request }) => {
      const { leaves, idLength } = await request("get_tree", { sessionId, limit: 1 });
      return leaves.map(({ id }) => id.slice(0, Math.max(idLength, typed.length)));
    },
    choices: async ({ sessionId, request }) => {
      const { leaves, idLength } = await request("get_tree", { sessionId, limit: 1 });
      const others = leaves.filter(({ active }) => !active);
      return others.map(({ id, text }) => ({ value: id.slice(0, idLength), label: text })).reverse();
    },
    run: async ({ event: leafEventId }: { event: string }, { sessionId, request }) => {
      const moved = await request("branch", { sessionId, leafEventId });
      return { output: `${moved.text}${await leftAlone(request, sessionId, moved)}`, data: moved };
    },
  },
  tree: {
    group: "Conversation",
    summary: "Draw the conversation with its branches; --all shows settings and marks, too",
    operations: ["get_tree"],
    args: z.object({ all: z.boolean().optional() }),
    run: async ({ all = false }: { all?: boolean }, { sessionId, request }) => {
      const page = await request("get_tree", { sessionId, show: all ? "all" : "tree" });
      const head = page.before === undefined ? "" : `… \`scorel session tree ${sessionId}\` shows earlier ones, too\n`;
      const { draw } = await import("./drawing.ts");
      return { output: `${head}${draw(page)}`.trimEnd(), data: page };
    },
  },
  undo: {
    group: "Conversation",
    summary: "Undo the last message and everything after it; its text can be edited. --files also restores the files",
    operations: ["undo"],
    args: z.object(withFiles),
    run: (asked: Asked, context) => undo(asked, context),
  },
  redo: {
    group: "Conversation",
    summary: "Undo the last undo; --files also restores the files",
    operations: ["redo"],
    args: z.object(withFiles),
    run: (asked: Asked, context) => redo(asked, context),
  },
});

/** The command that takes a session out of the trash. */
export const trashCommand: SlashCommand = {
  group: "Session",
  summary: "Take a session out of the trash and continue in it; without one, list the trash",
  operations: ["list_trash", "restore_session"],
  args: z.object({ session: z.string().optional() }),
  choices: async ({ request }) =>
    (await trashed(request)).map(({ sessionId, title }) => ({ value: sessionId, label: title || sessionId })),
  complete: async (_key, _typed, { request }) => (await trashed(request)).map(({ sessionId }) => sessionId),
  run: async ({ session }: { session?: string }, { request }) => {
    if (session === undefined) return { output: listText(await trashed(request)) };
    const { sessionId, text } = await request("restore_session", { sessionId: session });
    await request("load_session", { sessionId });
    return { output: text, sessionId };
  },
};

type Trashed = Awaited<ReturnType<typeof trashed>>;

async function trashed(request: SlashContext["request"]) {
  const { everyPage } = await import("@scorel/host/client");
  return (await everyPage((page) => request("list_trash", page))).sessions;
}

function listText(sessions: Trashed): string {
  if (sessions.length === 0) return "The trash is empty.";
  return sessions.map(({ sessionId, title }) => `${sessionId.slice(0, 8)}  ${title}`).join("\n");
}

/** Returns a line about files that a move left unchanged. */
async function leftAlone(
  request: SlashContext["request"],
  sessionId: string,
  { leafId }: { leafId: string | null },
): Promise<string> {
  const { filesLeft } = await import("./drawing.ts");
  const left = await filesLeft(request, { sessionId, leafId }, (event) => `/rewind ${event} --files`);
  return left === "" ? "" : `\n${left.trimEnd()}`;
}

/** Name for the start of the conversation. */
const START = "start";

interface Asked {
  files?: boolean;
  overwrite?: boolean;
  /** Set when the user has seen the file changes. */
  yes?: boolean;
}
interface Back extends Asked {
  event: string;
}

async function rewind(asked: Back, { sessionId, request }: SlashContext): Promise<CommandResult> {
  const { event } = asked;
  const target = { sessionId, targetEventId: event === START ? null : event };
  const unconfirmed = await toConfirm({ command: `/rewind ${event}` }, asked, (page) =>
    request("preview_rewind", { ...target, ...page }),
  );
  if (unconfirmed) return unconfirmed;
  const moved = await request("rewind", { ...target, ...filesOf(asked) });
  return { output: await movedText(moved, sessionId, request), data: moved };
}

async function undo(asked: Asked, { sessionId, request }: SlashContext): Promise<CommandResult> {
  const unconfirmed = await toConfirm({ command: "/undo" }, asked, (page) =>
    request("preview_undo", { sessionId, ...page }),
  );
  if (unconfirmed) return unconfirmed;
  const undone = await request("undo", { sessionId, ...filesOf(asked) });
  const { text, content } = undone.message;
  const output = `Undone: ${text}\n${await movedText(undone, sessionId, request)}`;
  return { output, data: undone, ...forEditing(content) };
}

/** The message for the input line: its text, and its pictures if it has any. */
function forEditing(content: UserMessage["content"]): Pick<CommandResult, "input" | "pictures"> {
  if (typeof content === "string") return { input: content };
  const pictures = content.flatMap((block) => (block.type === "image" ? block : []));
  const texts = content.flatMap((block) => (block.type === "text" ? block.text : []));
  return { input: texts.join("\n"), ...(pictures.length > 0 && { pictures }) };
}

async function redo(asked: Asked, { sessionId, request }: SlashContext): Promise<CommandResult> {
  const unconfirmed = await toConfirm({ command: "/redo", verb: "redo" }, asked, (page) =>
    request("preview_redo", { sessionId, ...page }),
  );
  if (unconfirmed) return unconfirmed;
  const redone = await request("redo", { sessionId, ...filesOf(asked) });
  return { output: await movedText(redone, sessionId, request), data: redone };
}

function filesOf({ files = false, overwrite = false }: Asked) {
  return { files, overwrite };
}

/** With `--files`, shows the file changes and puts the confirming command into the input line; undefined if nothing is to be confirmed. */
async function toConfirm(
  { command, verb = "go back" }: { command: string; verb?: string },
  { files = false, overwrite = false, yes = false }: Asked,
  ask: (page: PageParams) => Promise<MovePreview>,
): Promise<CommandResult | undefined> {
  if (!files || yes) return undefined;
  const { everyPage } = await import("@scorel/host/client");
  const preview = await everyPage(ask);
  if (preview.changes.length === 0 && preview.notCovered.length === 0) return undefined;
  const { drawPreview, restorable } = await import("./drawing.ts");
  const isNone = restorable(preview, overwrite).length === 0;
  const input = `${command} --files${overwrite ? " --overwrite" : ""} --yes`;
  const what = isNone ? `No file can be restored. To ${verb} anyway` : `To restore these files, and ${verb}`;
  return { output: `${drawPreview(preview, overwrite)}${what}: ${input}`, data: preview, input };
}

/** Tells where a move led, and which files it restored or left unchanged. */
async function movedText(
  moved: Moved & { files?: FilesRestored },
  sessionId: string,
  request: SlashContext["request"],
): Promise<string> {
  const { files, text } = moved;
  if (!files) return `${text}${await leftAlone(request, sessionId, moved)}`;
  const { leftOutText } = await import("./drawing.ts");
  const skipped = files.skipped.map(({ path, reason }) => `not restored: ${path}: ${reason}`);
  const count = files.restored.length;
  return [...skipped, `${count} ${count === 1 ? "file" : "files"} restored.${leftOutText(files)}`, text].join("\n");
}

/** The messages that the user can go back to, the latest first. */
async function placesToGo({ sessionId, request }: SlashContext): Promise<Choice[]> {
  const { rows, idLength } = await request("get_tree", { sessionId, show: "path" });
  const places = rows.filter(({ point }) => point).reverse();
  return [
    ...places.map(({ id, label, text }) => ({ value: id.slice(0, idLength), label: text, detail: label })),
    { value: START, label: "the start of the conversation" },
  ];
}

async function points(_key: string, typed: string, { sessionId, request }: SlashContext): Promise<string[]> {
  const { rows, idLength } = await request("get_tree", { sessionId, show: "path" });
  return [START, ...rows.filter(({ point }) => point).map(({ id }) => id.slice(0, Math.max(idLength, typed.length)))];
}
