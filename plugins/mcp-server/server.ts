import type { Server } from "@modelcontextprotocol/server";
import { codeOf, messageOf } from "@scorel/kernel";
import { beginningOf } from "@scorel/kit/text/cut";
import { plainText } from "@scorel/kit/text/plain";
import { describeIssues } from "@scorel/kit/values/issue-text";
import { z } from "zod";
import { errors } from "./errors.ts";
import type { ServedTool } from "./tools.ts";

const INSTRUCTIONS =
  "Scorel is a coding agent. start_task gives it work in this folder, follow_task waits for what comes of it. Its answers are text of a model.";

/** Creates the MCP server that lists and calls the tools. The SDK is loaded here. */
export async function createServer(tools: readonly ServedTool[], version: string): Promise<Server> {
  const { Server } = await import("@modelcontextprotocol/server");
  const server = new Server(
    { name: "scorel", title: "Scorel", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(described) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken;
    let progress = 0;
    const tell = async (message: string) => {
      if (token === undefined) return;
      progress++;
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: token, progress, message: beginningOf(plainText(message), 500) },
      });
    };
    try {
      const text = await call(tools, params, { signal: mcpReq.signal, tell });
      return { content: [{ type: "text", text }] };
    } catch (thrown) {
      mcpReq.signal.throwIfAborted();
      const text = `${codeOf(thrown)}: ${plainText(messageOf(thrown))}`;
      return { content: [{ type: "text", text }], isError: true };
    }
  });
  return server;
}

function described({ name, description, parameters, changes }: ServedTool) {
  const inputSchema = z.toJSONSchema(parameters, { io: "input" }) as { type: "object" };
  return { name, description, inputSchema, annotations: { readOnlyHint: !changes } };
}

type Call = Parameters<ServedTool["run"]>[1];

async function call(
  tools: readonly ServedTool[],
  { name, arguments: args = {} }: { name: string; arguments?: unknown },
  call: Call,
): Promise<string> {
  const tool = tools.find((each) => each.name === name);
  if (!tool)
    throw errors.MCP_SERVER_TOOL({ tool: plainText(name).slice(0, 80), known: tools.map((each) => each.name) });
  const read = tool.parameters.safeParse(args);
  if (!read.success) throw errors.MCP_SERVER_ARGUMENTS({ tool: name, problems: describeIssues(read.error) });
  const result = await tool.run(read.data as never, call);
  return tool.isExact ? JSON.stringify(result, null, 2) : textOf(result);
}

/** The result as JSON text, without control characters that its strings may contain. */
function textOf(result: unknown): string {
  if (typeof result === "string") return plainText(result);
  return JSON.stringify(result, (_key, value) => (typeof value === "string" ? plainText(value) : value), 2);
}
