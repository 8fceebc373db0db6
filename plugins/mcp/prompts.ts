import type { SlashCommand } from "@scorel/commands/contract";
import { lineOf } from "@scorel/kit/text/one-line";
import { z } from "zod";
import type { Server } from "./servers/server.ts";
import type { Servers } from "./servers/servers.ts";
import { toolNames } from "./tools/names.ts";
import { resultOf } from "./tools/result.ts";
import type { ListedPrompt } from "./wire/inventory.ts";

/** Argument names that can be used on a command line. */
const ARGUMENT = /^[A-Za-z][\w-]{0,39}$/;
const MOST_ARGUMENTS = 16;

/** Commands `/mcp__server__prompt` for the prompts of the servers. Each sends the text that the server returns as a message. */
export function promptCommands(servers: Servers): Record<string, SlashCommand> {
  return Object.fromEntries(servers.enabled.flatMap((server) => commandsOf(server)));
}

/** Names of the commands that are made from a server's prompts. */
export function promptNames(server: Server): string[] {
  return commandsOf(server).map(([name]) => name);
}

function commandsOf(server: Server): [string, SlashCommand][] {
  const usable = server.prompts.filter(isUsable);
  const names = toolNames(
    server.name,
    usable.map(({ name }) => name),
  );
  return usable.flatMap((prompt) => {
    const name = names.get(prompt.name);
    return name === undefined ? [] : [[name, commandOf(server, prompt)]];
  });
}

/** Whether all arguments of a prompt can be used on a command line. Other prompts are left out. */
function isUsable({ arguments: args = [] }: ListedPrompt): boolean {
  return args.length <= MOST_ARGUMENTS && args.every(({ name }) => ARGUMENT.test(name));
}

function commandOf(server: Server, { name, description, arguments: given = [] }: ListedPrompt): SlashCommand {
  const required = given.filter((each) => each.required);
  const others = given.filter((each) => !each.required);
  const shape = [...required, ...others].map((each): [string, z.ZodType] => {
    const text = z.string().describe(lineOf(each.description ?? "").slice(0, 200));
    return [each.name, each.required ? text : text.optional()];
  });
  return {
    group: "MCP prompts",
    summary: lineOf(description ?? name).slice(0, 200),
    operations: ["send_message"],
    args: z.object(Object.fromEntries(shape)),
    async run(args: Record<string, string | undefined>, { sessionId, request, signal }) {
      const content = await textOf(server, name, args, signal);
      // The text is the server's, so what looks like a mention in it is not attached.
      return { turn: (await request("send_message", { sessionId, content, mentions: false })).id };
    },
  };
}

async function textOf(server: Server, prompt: string, args: Record<string, string | undefined>, signal: AbortSignal) {
  const kept = Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const messages = await server.use(`make the prompt ${lineOf(prompt).slice(0, 80)}`, signal, (connection) =>
    connection.prompt(prompt, Object.fromEntries(kept), { signal, timeoutMs: server.definition.timeoutMs }),
  );
  const parts = messages.flatMap(({ role, content }) =>
    role === "user" ? [content] : [{ type: "text", text: "You have answered:" }, content],
  );
  const { content } = resultOf({ content: parts }, server.redact);
  const head = `This is the prompt ${JSON.stringify(lineOf(prompt))} of the MCP server ${server.name}, which I have chosen:\n\n`;
  return [{ type: "text" as const, text: head }, ...content];
}
