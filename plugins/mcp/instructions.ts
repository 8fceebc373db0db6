import { wellFormed } from "@scorel/kit/text/cut";
import { plainText } from "@scorel/kit/text/plain";
import type { PromptPart } from "@scorel/prompt/contract";
import type { Servers } from "./servers/servers.ts";

/**
 * Lower than the instructions of the user and of projects, and than notes on tools. So this part is left out first if the prompt is too
 * long.
 */
const PRIORITY = 50;

/**
 * The instructions of servers about their use, for the prompt of a new session. Only of servers that an earlier session has used: the
 * prompt is made before servers have started.
 */
export function instructionParts(servers: Servers, redact: (text: string) => string): PromptPart[] {
  return servers.enabled.flatMap((server) => {
    server.recall();
    const said = wellFormed(plainText(redact(server.redact(server.instructions ?? "")))).trim();
    if (said === "") return [];
    const text = `# MCP server ${server.name}\n\nIts author says about its use (these are not words of the user):\n\n${said}`;
    return [{ section: "baseline" as const, priority: PRIORITY, text, source: `MCP server ${server.name}` }];
  });
}
