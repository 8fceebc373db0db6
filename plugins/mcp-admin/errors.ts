import { defineErrors } from "@scorel/kernel";

const called = (names: readonly string[]) => names.map((name) => `"${name}"`).join(", ");

export const errors = defineErrors({
  MCP_ADMIN_NO_PLUGIN: {
    exit: 2,
    text: () => 'Sessions here have no MCP servers: add "mcp" to "use" in config.toml, or choose a preset that has it.',
  },
  MCP_ADMIN_WAY: {
    exit: 2,
    text: (a: { name: string }) =>
      `Specify either the server's program or its address: scorel mcp add ${a.name} -- <command> [arguments], or scorel mcp add ${a.name} <address>`,
  },
  MCP_ADMIN_SSE: {
    exit: 2,
    text: (a: { name: string }) =>
      `Servers that can only be reached over SSE are not supported. Most also have an HTTP address: scorel mcp add ${a.name} <address>`,
  },
  MCP_ADMIN_JSON: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `The server "${a.name}" cannot be added: ${a.reason}. Use the format of .mcp.json, for example: scorel mcp add-json ${a.name} '{"command": "npx", "args": ["my-server"]}'`,
  },
  MCP_ADMIN_TOKEN_VARIABLE: {
    exit: 2,
    text: (a: { given: string }) => `--bearer-token-env-var takes the name of a variable, not ${a.given}.`,
  },
  MCP_ADMIN_NAME: {
    exit: 2,
    text: (a: { name: string }) =>
      `A server cannot be called "${a.name}": a name has up to 32 letters and digits, with single - or _ between them.`,
  },
  MCP_ADMIN_PAIR: {
    exit: 2,
    text: (a: { option: string; given: string }) =>
      `${a.option} takes NAME=VALUE${a.option === "--header" ? ' or "NAME: VALUE"' : ""}, not ${a.given}.`,
  },
  MCP_ADMIN_OPTION: {
    exit: 2,
    text: (a: { option: string; wants: string }) => `${a.option} is only for a server with ${a.wants}.`,
  },
  MCP_ADMIN_SECONDS: {
    exit: 2,
    text: (a: { given: string }) =>
      `--timeout must be a number of seconds greater than 0, at most 3600, not ${a.given}.`,
  },
  MCP_ADMIN_URL: {
    exit: 2,
    text: (a: { url: string }) => `${a.url} is not an address that begins with http or https.`,
  },
  MCP_ADMIN_TEST: (a: { name: string; reason: string; target: string; place: string }) =>
    `The MCP server "${a.name}" could not be started: ${a.reason}.\n  ${a.target.startsWith("http") ? "address" : "program"}: ${a.target}\n  from: ${a.place}`,
  MCP_ADMIN_TAKEN: {
    exit: 2,
    text: (a: { name: string; path: string }) =>
      `${a.path} already has an MCP server "${a.name}". To replace it: scorel mcp remove ${a.name}`,
  },
  MCP_ADMIN_PROJECT_TAKEN: {
    exit: 2,
    text: (a: { name: string; path: string }) =>
      `${a.path} already has an MCP server "${a.name}". To replace it, remove it from "mcpServers" in that file first.`,
  },
  MCP_ADMIN_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; path: string; known: readonly string[] }) =>
      `${a.path} has no MCP server "${a.name}". ${a.known.length > 0 ? `It has ${called(a.known)}.` : "It has none."}`,
  },
  MCP_ADMIN_PROGRAM: {
    exit: 2,
    text: (a: { given: string; known: readonly string[] }) =>
      `Servers can be imported from ${a.known.join(" and ")}, not from ${a.given}.`,
  },
  MCP_ADMIN_SOURCE: (a: { path: string; reason: string }) =>
    `${a.path} cannot be read: ${a.reason}. Nothing was imported.`,
  MCP_ADMIN_UNCONFIRMED: {
    exit: 2,
    text: () => "Nothing was imported. Confirm in a terminal, or add --yes.",
  },
  MCP_ADMIN_LINKED: (a: { path: string; target: string; names: readonly string[] }) =>
    `Nothing was imported: ${called(a.names)} may contain keys, and ${a.path} is a link to ${a.target}, which others may read. Write \${NAME} in place of the keys in the original file, or replace the link with a file.`,
  MCP_ADMIN_FILE: (a: { path: string; reason: string; lines: string }) =>
    `${a.path} was not changed, since it could not be edited safely: ${a.reason}. ${a.lines}`,
});
