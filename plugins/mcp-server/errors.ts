import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MCP_SERVER_TERMINAL: {
    exit: 2,
    text: () =>
      "`scorel mcp serve` is started by another agent, which talks to it over stdin and stdout. Enter it as an MCP server there.",
  },
  MCP_SERVER_SCOPE: {
    exit: 2,
    text: (a: { scope: string; known: readonly string[] }) =>
      `--scope ${JSON.stringify(a.scope)} is not known. Use ${a.known.join(", ")}, or several, separated by commas.`,
  },
  MCP_SERVER_TOOL: (a: { tool: string; known: readonly string[] }) =>
    `There is no tool "${a.tool}" here. Use one of ${a.known.join(", ")}.`,
  MCP_SERVER_ARGUMENTS: (a: { tool: string; problems: string }) => `Wrong arguments for ${a.tool}: ${a.problems}.`,
  MCP_SERVER_FOLDER: (a: { cwd: string; root: string }) =>
    `"${a.cwd}" is not a folder in ${a.root}, and this server works only there.`,
  MCP_SERVER_SESSION: (a: { session: string }) =>
    `There is no session "${a.session}" here. list_sessions shows those of this server's folder.`,
  MCP_SERVER_LASTING: (a: { answer: string }) =>
    `"${a.answer}" is not an answer that another agent can give: it is not offered, or would apply beyond this question. Choose one of the offered answers.`,
  MCP_SERVER_LARGE: (a: { name: string; bytes: number; most: number }) =>
    `The artifact "${a.name}" has ${a.bytes} bytes. Read it in parts of at most ${a.most} bytes, with offset and length.`,
  MCP_SERVER_AWAY: () =>
    "A session was not closed, because its host does not respond. Its conversation is kept there; `scorel host status` shows whether the host is running.",
});
