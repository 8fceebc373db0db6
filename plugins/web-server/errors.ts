import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  WEB_PORT: {
    exit: 2,
    text: (a: { port: string }) => `"${a.port}" is not a port. Use a number from 0 (any free one) to 65535.`,
  },
  WEB_NO_PORT: {
    exit: 2,
    text: (a: { options: readonly string[] }) =>
      `${a.options.join(", ")} ${a.options.length === 1 ? "applies" : "apply"} only to a port, and there is no --port. Add --port <n>; 0 uses any free one.`,
  },
  WEB_BIND: {
    exit: 2,
    text: (a: { address: string }) =>
      `"${a.address}" is not an IP address. Use one of this computer, such as 127.0.0.1.`,
  },
  WEB_EXPOSED: {
    exit: 2,
    text: (a: { address: string }) =>
      `Other computers can reach ${a.address}, so the connections must be encrypted: add --tls-cert and --tls-key. With --insecure, everybody on the network can read the token and all sessions.`,
  },
  WEB_TLS: {
    exit: 2,
    text: (a: { problem: string }) => `The web server cannot use TLS: ${a.problem}.`,
  },
  WEB_LISTEN: (a: { address: string; reason: string }) =>
    `The web server cannot listen at ${a.address} (${a.reason}). Is the port in use? Choose another one with --port.`,
  WEB_NOT_RUNNING: () =>
    "The host has no web server, so nobody can use a code. Start it with a port: scorel host serve --replace --port 7777",
  WEB_TOKEN: () =>
    "The token is missing or wrong. `scorel host token show-path` on the host's computer prints the file that has it; name it with --token-file, or set SCOREL_HOST_TOKEN. For curl: `scorel host curlrc` prints a file for its option -K.",
  WEB_REQUEST: () => "The request cannot be read. Send HTTP/1.1 with a path that begins with / and JSON as the body.",
  WEB_FORBIDDEN: () =>
    "The request comes from a page of another site. `pages` in the table [web-server] of the host's config.toml allows the page of another host.",
  WEB_PATH: () => "There is nothing at this path. With a token, GET /openapi.json describes the available paths.",
  WEB_METHOD: () =>
    "The path does not support this method. With a token, GET /openapi.json describes the available paths.",
  WEB_HOST: () =>
    "The request names another host than this one. Use the address that `scorel host status` on the host's computer shows; `names` in the table [web-server] of its config.toml adds one.",
  WEB_AUTHORITY: (a: { authority: string }) =>
    `The host cannot prove that ${JSON.stringify(a.authority)} leads to it, so no token may be sent there. Use the address that \`scorel host status\` shows, with an IP address and not "localhost". For a proxy, name its address in \`origins\` in the table [web-server] of the host's config.toml.`,
  WEB_TRIES: () =>
    "Too many wrong tokens or codes came from this address. Wait a minute, and try again with the right one.",
  WEB_FAILED: () => "The host failed unexpectedly. `scorel host logs` on its computer shows why.",
  WEB_WAIT: (a: { reason: string; seconds: number }) => `${a.reason} Try again in ${a.seconds} s.`,
  WEB_TOKEN_FULL: (a: { name: string; max: number; seconds: number }) =>
    `The token "${a.name}" has ${a.max} connections or event streams open, which is the maximum for one token. Close those that nobody reads, and try again in ${a.seconds} s; or use another token for a part of them: \`scorel host token rotate <name> --scope view\` on the host's computer creates one.`,
  WEB_TOKEN_STORE: (a: { path: string; problem: string }) =>
    `The tokens in ${a.path} cannot be used: ${a.problem}. Correct the file, or delete it and create new tokens: scorel host token rotate`,
  WEB_TOKEN_BUSY: (a: { path: string }) =>
    `Another process has been changing the tokens for 10 s. Try again; if no such process is running, delete ${a.path}.`,
  WEB_TOKEN_NAME: {
    exit: 2,
    text: (a: { name: string }) =>
      `"${a.name}" is not the name of a token. Use up to 32 lower-case letters, digits and hyphens, such as phone.`,
  },
  WEB_TOKEN_PAGE: {
    exit: 2,
    text: () =>
      'The name "page" is reserved for pages in browsers, which get their tokens from links: `scorel up` creates one. Use another name.',
  },
  WEB_TOKEN_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; known: readonly string[] }) =>
      `There is no token "${a.name}". ${a.known.length === 0 ? "There are none yet: `scorel host serve --port <n>` or `scorel host token rotate` creates the first" : `Known: ${a.known.join(", ")}`}.`,
  },
  WEB_TOKEN_ACTION: {
    exit: 2,
    text: (a: { action: string; near?: string | undefined }) =>
      `"${a.action}" cannot be done with tokens.${a.near === undefined ? "" : ` Did you mean "${a.near}"?`} Use list, rotate, show-path or remove.`,
  },
  WEB_TOKEN_SCOPE: {
    exit: 2,
    text: (a: { scope: string }) =>
      `"${a.scope}" is not a scope. Use view, prompt, approve or admin, separated by commas.`,
  },
});
