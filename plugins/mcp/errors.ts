import { defineErrors } from "@scorel/kernel";

const check = (server: string) => `To see what it says: scorel mcp test ${server}`;

export const errors = defineErrors({
  MCP_START: (a: { server: string; reason: string }) =>
    `The MCP server "${a.server}" could not be started: ${a.reason}. ${check(a.server)}`,
  MCP_LOGIN: (a: { server: string; reason?: string }) =>
    `The MCP server "${a.server}" needs a login${a.reason === undefined ? " or a header with a key" : ` (${a.reason})`}. To log in: scorel mcp login ${a.server}. Then, in an open session: /mcp restart ${a.server}`,
  MCP_LOGIN_FAILED: (a: { server: string; reason: string }) =>
    `The login at the MCP server "${a.server}" failed: ${a.reason}. To try again: scorel mcp login ${a.server}`,
  MCP_LOGIN_NONE: {
    exit: 2,
    text: (a: { server: string; why: "key" | "program" | "open" }) => {
      if (a.why === "key")
        return `The MCP server "${a.server}" gets a header Authorization from its table, so it needs no login. To log in instead, remove that header.`;
      if (a.why === "open")
        return `The MCP server "${a.server}" answers without a login, so it needs none. To try it: scorel mcp test ${a.server}`;
      return `The MCP server "${a.server}" is a program on this computer, so there is nothing to log in to.`;
    },
  },
  MCP_LOGINS: (a: { path: string; reason: string }) =>
    `The logins at MCP servers cannot be read or stored (${a.path}: ${a.reason}). Without that file, log in again with: scorel mcp login <name>`,
  MCP_GIVEN_UP: (a: { server: string; reason: string; attempts: number }) =>
    `The MCP server "${a.server}" does not stay up, so it is not restarted again after ${a.attempts} attempts: ${a.reason}. ${check(a.server)}`,
  MCP_CALL: (a: { server: string; tool: string; reason: string }) =>
    `The MCP server "${a.server}" could not do ${a.tool}: ${a.reason}`,
  MCP_TIMEOUT: (a: { server: string; tool: string; seconds: number }) =>
    `The MCP server "${a.server}" did not answer ${a.tool} for ${a.seconds} s, so the call was cancelled. Whether it took effect is not known. "timeout" of the server in [[mcp.servers]] sets the limit.`,
  MCP_MESSAGE_SIZE: (a: { megabytes: number }) => `it sent a message of more than ${a.megabytes} MB`,
  MCP_STREAM_ENDED: () => "the connection ended before the answer, so whether it took effect is not known",
  MCP_TOOLS: (a: { server: string; reason: string }) =>
    `Some tools of the MCP server "${a.server}" are left out: ${a.reason}.`,
  MCP_NO_MORE: (a: { server: string; times: number }) =>
    `The MCP server "${a.server}" has asked ${a.times} times in a row and got no answer, so its further questions in this session are declined. To let it ask again: /mcp restart ${a.server}`,
  MCP_CUT: (a: { server: string; used: number }) =>
    `The MCP server "${a.server}" has more tools than can be used, so only its first ${a.used} are. To use others, configure the server to offer fewer.`,
  MCP_CHANGED: (a: { server: string; tools: readonly string[] }) =>
    `The MCP server "${a.server}" has changed the description of ${a.tools.length === 1 ? "a tool" : `${a.tools.length} tools`}, or has added ${a.tools.length === 1 ? "it" : "them"}: ${a.tools.slice(0, 5).join(", ")}${a.tools.length > 5 ? " …" : ""}. The user is asked about the next call of each, even if it is allowed. To accept all: scorel mcp test ${a.server} --accept`,
  MCP_INSTRUCTIONS: (a: { server: string }) =>
    `The MCP server "${a.server}" has changed its instructions, so new sessions do not use them. To see and accept them: scorel mcp test ${a.server} --accept`,
  MCP_PINS: (a: { server: string; path: string; reason: string }) =>
    `The accepted tools of the MCP server "${a.server}" cannot be read or stored, so the user is asked about them again (${a.path}: ${a.reason}).`,
  MCP_OTHER_TOOL: (a: { isGone: boolean }) =>
    a.isGone
      ? "it no longer has this tool"
      : "it has changed the description of this tool since the call was allowed, so the tool was not called. If the call is made again, the user is asked",
  MCP_CACHE: (a: { server: string; path: string; reason: string }) =>
    `The list of the tools of the MCP server "${a.server}" cannot be read or stored, so sessions wait for the server (${a.path}: ${a.reason}).`,
  MCP_LOG: (a: { server: string; text: string }) => `The MCP server "${a.server}" reports an error: ${a.text}.`,
  MCP_DISABLED: (a: { server: string }) =>
    `The MCP server "${a.server}" is switched off with enabled = false in its table.`,
  MCP_DUPLICATE: (a: { server: string; place: string; first: string }) =>
    `The MCP server "${a.server}" of ${a.place} is left out, because ${a.first} already has one with this name. Rename one of them.`,
  MCP_OPTION: (a: { server: string; reason: string }) =>
    `The MCP server "${a.server}" of the client is left out: ${a.reason}.`,
  MCP_LOCKED: (a: { setting: string; by: string }) =>
    `The MCP servers of the client are left out: ${a.by} locks ${a.setting}.`,
  MCP_JSON: (a: { path: string; reason: string }) => `${a.path} is left out: ${a.reason}.`,
  MCP_VARIABLE: (a: { server: string; variable: string; ofProject: boolean }) =>
    a.ofProject
      ? `the variable ${a.variable} is not set, or a project may not use it; to let it, write variables = ["${a.variable}"] below [mcp] in ~/.scorel/config.toml`
      : `the variable ${a.variable} is not set`,
  MCP_STARTING: (a: { servers: readonly string[] }) =>
    `${a.servers.length === 1 ? "The MCP server" : "The MCP servers"} ${a.servers.join(", ")} ${a.servers.length === 1 ? "is" : "are"} still starting. The tools come with a later message; \`wait\` in [mcp] says how long the first one waits. To store the tools of a slow server for later sessions: ${a.servers.map((server) => `scorel mcp test ${server}`).join("; ")}`,
  MCP_UNKNOWN: {
    exit: 2,
    text: (a: { server: string; known: readonly string[] }) =>
      `There is no MCP server "${a.server}". ${a.known.length > 0 ? `There are: ${a.known.join(", ")}.` : "None is configured; add one with: scorel mcp add"}`,
  },
});
