import type { SessionUpdate, ToolCallContent, ToolCallStatus } from "@agentclientprotocol/sdk";
import type { DisplayAction } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { ToolCallBlock, ToolResultMessage } from "@scorel/messages/contract";
import { cleanArgs, cleanText, codeBlock, textPart } from "./clean.ts";
import { contentAfter, contentBefore, kindOf, locationsAfter, locationsOf, shortened, titleOf } from "./tool-calls.ts";

/** The tool whose list is shown as the plan of the session. */
export const TODOS = "TodoWrite";

interface Call {
  /** Id of the call in updates. Unique, because models may reuse an id, and editors would take that for the same call. */
  shownId: string;
  tool: string;
  isOver: boolean;
}

/** The tool calls of a session, as updates for the editor. */
export class Calls {
  private readonly cwd: string;
  private readonly known = new Map<string, Call>();
  private count = 0;

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  /** The id under which the editor knows a call; undefined if it does not. */
  shownId(toolCallId: string): string | undefined {
    return this.known.get(toolCallId)?.shownId;
  }

  /** A model has written a tool call. */
  written({ id, name, arguments: args }: ToolCallBlock): SessionUpdate[] {
    return this.begin(id, name, args, "pending");
  }

  /** A tool call starts. `args` and `display` are final. */
  started(toolCallId: string, tool: string, args: unknown, display: DisplayAction): SessionUpdate[] {
    const call = this.known.get(toolCallId);
    if (!call || call.isOver) return this.begin(toolCallId, tool, args, "in_progress");
    if (tool === TODOS) return [];
    return [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: call.shownId,
        status: "in_progress",
        ...titled(display),
        ...raw(args),
      },
    ];
  }

  /** The status of a call has changed, for example from waiting to running. */
  changed(toolCallId: string, status: ToolCallStatus): SessionUpdate[] {
    return this.update(toolCallId, { status });
  }

  /** A tool reports its progress. */
  progress(toolCallId: string, partial: unknown): SessionUpdate[] {
    const { content } = (partial ?? {}) as { content?: unknown };
    if (!Array.isArray(content)) return [];
    const texts = content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
    const shown: ToolCallContent[] = texts.map((text) => textPart(codeBlock(cleanText(text))));
    return shown.length === 0 ? [] : this.update(toolCallId, { content: shown });
  }

  /** The result of a call has been stored. */
  ended(message: ToolResultMessage, display: DisplayAction): SessionUpdate[] {
    const { toolCallId, toolName, isError } = message;
    const begun = this.known.has(toolCallId) ? [] : this.begin(toolCallId, toolName, undefined, "pending");
    const locations = locationsAfter(message);
    const ended = this.update(toolCallId, {
      status: isError ? "failed" : "completed",
      content: contentAfter(message),
      ...titled(display),
      ...(locations && { locations }),
    });
    const call = this.known.get(toolCallId);
    if (call) call.isOver = true;
    return [...begun, ...ended];
  }

  /** The turn has ended. Calls that are still open get no result. */
  closed(): SessionUpdate[] {
    const open = [...this.known].filter(([, { isOver }]) => !isOver);
    return open.flatMap(([toolCallId, call]) => {
      call.isOver = true;
      return this.update(toolCallId, { status: "failed" });
    });
  }

  private begin(toolCallId: string, tool: string, args: unknown, status: ToolCallStatus): SessionUpdate[] {
    this.count++;
    const shownId = this.known.has(toolCallId) ? `${toolCallId}#${this.count}` : toolCallId;
    this.known.set(toolCallId, { shownId, tool, isOver: false });
    if (tool === TODOS) return [];
    return [
      {
        sessionUpdate: "tool_call",
        toolCallId: shownId,
        title: titleOf(tool, args),
        name: lineOf(tool),
        kind: kindOf(tool),
        status,
        content: contentBefore(tool, args, this.cwd),
        locations: locationsOf(args, this.cwd),
        ...raw(args),
      },
    ];
  }

  private update(toolCallId: string, changes: Partial<Changes>): SessionUpdate[] {
    const call = this.known.get(toolCallId);
    if (!call || call.tool === TODOS) return [];
    return [{ sessionUpdate: "tool_call_update", toolCallId: call.shownId, ...changes }];
  }
}

type Changes = Omit<Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>, "sessionUpdate" | "toolCallId">;

function titled(display: DisplayAction): { title?: string } {
  return display.display === "card" ? { title: shortened(lineOf(display.title)) } : {};
}

function raw(args: unknown): { rawInput?: unknown } {
  const rawInput = cleanArgs(args);
  return rawInput === undefined ? {} : { rawInput };
}
