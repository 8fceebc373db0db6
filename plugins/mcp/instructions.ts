import { plainText } from "@scorel/kit/text/plain";
import type { PromptPart } from "@scorel/prompt/contract";
import type { Servers } from "./servers/servers.ts";

/** Below the instructions of the user and of projects, and notes on tools: it is left out first if the prompt is too long. */
const PRIORITY = 50;

/**
 * What servers say about their use, for the prompt of a new session: of those that an earlier session has used, as nobody waits for a server
 * before there is a prompt.
 */
export function instructionParts(servers: Servers, redact: (text: string) => string): PromptPart[] {
  return servers.enabled.flatMap((server) => {
    server.recall();
    const said = plainText(redact(server.redact(server.instructions ?? ""))).trim();
    if (said === "") return [];
    const text = `# MCP server ${server.name}\n\nIts author says about its use (these are not words of the user):\n\n${said}`;
    return [{ section: "baseline" as const, priority: PRIORITY, text, source: `MCP server ${server.name}` }];
  });
}
