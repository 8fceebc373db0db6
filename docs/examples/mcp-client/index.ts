import { definePlugin } from "@scorel/kernel";
import type { TextBlock, Tool } from "@scorel/tools/contract";
import { z } from "zod";
import { Connection } from "./connection.ts";

/** A tool as the server describes it. */
interface Described {
  name: string;
  description?: string;
  inputSchema: object;
}
interface Page {
  tools: Described[];
  nextCursor?: string;
}
interface Result {
  content: { type: string }[];
  isError?: boolean;
}

export default definePlugin({
  id: "mcp-client",
  name: "MCP client",
  version: "1.0.0",
  needs: ["workspace"],
  config: z.strictObject({
    /** The program of the server, and its arguments. */
    command: z.tuple([z.string()], z.string()),
    /** The start of the tools' names. */
    prefix: z.string().default("mcp"),
  }),
  async activate({ config, contribute, onDispose, report, signal, ui, workspace }) {
    let removeTools: (() => unknown) | undefined;
    const server = new Connection(config.command, workspace.cwd, {
      changed: () => offer().catch((thrown) => report("tools/list", thrown)),
      ended(how) {
        if (!removeTools || signal.aborted) return;
        removeTools();
        ui.notify(`The MCP server has ended (${how}). Its tools are gone until /reload.`, "warning");
      },
    });
    // Not returned as `dispose`, so that the server also ends when a later line fails.
    onDispose(() => server.close());
    const offer = async () => {
      const tools = (await allTools(server)).map((tool) => toolOf(server, tool, config.prefix));
      removeTools?.();
      removeTools = contribute("tools", tools);
    };
    const clientInfo = { name: "scorel", version: "1.0.0" };
    await server.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    server.tell("notifications/initialized");
    await offer();
  },
});

async function allTools(server: Connection): Promise<Described[]> {
  const all: Described[] = [];
  let cursor: string | undefined;
  do {
    const page = await server.request<Page>("tools/list", cursor === undefined ? {} : { cursor });
    all.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

function toolOf(server: Connection, { name, description, inputSchema }: Described, prefix: string): Tool {
  return {
    name: `${prefix}_${name}`.replaceAll(/[^\w-]/g, "_").slice(0, 64),
    description: description ?? name,
    parameters: inputSchema,
    // A person is asked, whatever the server says of its tool. Rules such as `mcp_weather(*Rome*)` can answer instead.
    approval: "ask",
    about: (params) => JSON.stringify(params).slice(0, 500),
    async execute(_id, params, signal) {
      const call = { name, arguments: params };
      const { content, isError } = await server.request<Result>("tools/call", call, signal);
      return { content: content.map(blockOf), isError: isError === true };
    },
  };
}

/** Texts and images are the same in both protocols; of other blocks the model reads the JSON. */
function blockOf(block: { type: string }): TextBlock {
  const isKnown = block.type === "text" || block.type === "image";
  return isKnown ? (block as TextBlock) : { type: "text", text: JSON.stringify(block) };
}
