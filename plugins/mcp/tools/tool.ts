import type { DisplayAction } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import type { Server } from "../servers/server.ts";
import type { ListedTool } from "../wire/inventory.ts";
import { resultOf } from "./result.ts";
import { readDescription, readSchema } from "./schema.ts";

/** Milliseconds between two updates about the progress of a call. */
const UPDATE_MS = 250;
const MOST_PROGRESS = 500;

type Params = Record<string, unknown>;

/** Makes the tool that the model sees for a tool of a server. Throws an error if it cannot be offered. */
export function toolOf(server: Server, listed: ListedTool, name: string): Tool<Params> {
  const title = `${server.name}: ${lineOf(listed.title ?? listed.name).slice(0, 80)}`;
  return {
    name,
    label: title,
    description: readDescription(listed.description, listed.name),
    parameters: readSchema(listed.inputSchema),
    // What the server says about its tool does not count: a person is asked, unless a rule or the permission mode allows the call.
    approval: "ask",
    async execute(toolCallId, params, signal = new AbortController().signal, onUpdate) {
      // Only approved calls get here.
      const isApproved = server.pins.approve(toolCallId, listed.name);
      const options = { signal, onProgress: progressTo(onUpdate, server.redact) };
      const result = await server.call(listed.name, params, options, isApproved);
      return resultOf(result, server.redact);
    },
    display: (params, result) => display(title, params, result),
  };
}

/** Passes on the newest progress message a few times per second, since a server may send thousands. */
function progressTo(onUpdate: ((partial: ToolOutput) => void) | undefined, redact: Server["redact"]) {
  let last = Number.NEGATIVE_INFINITY;
  return (progress: Step) => {
    const now = performance.now();
    if (!onUpdate || now - last < UPDATE_MS) return;
    last = now;
    onUpdate({ content: [{ type: "text", text: progressText(progress, redact) }] });
  };
}

interface Step {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

function progressText({ progress, total, message }: Step, redact: Server["redact"]): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message ? `${plainText(redact(message)).slice(0, MOST_PROGRESS)} (${count})` : count;
}

function display(title: string, params: Params, result: ToolOutput | undefined): DisplayAction {
  const args = JSON.stringify(params);
  const brief = args === "{}" ? "" : args.length > 120 ? ` ${args.slice(0, 119)}…` : ` ${args}`;
  const status = result === undefined ? "running" : result.isError ? "error" : "done";
  const text = result?.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType} image]`));
  return { display: "card", title: title + brief, status, text: text?.join("\n") ?? "" };
}
