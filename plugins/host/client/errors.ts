import { requestFor } from "@scorel/kit/text/deed";
import { clause } from "@scorel/kit/text/one-line";
import { defineErrors } from "@scorel/kit/values/coded-error";

const at = ({ address }: { address?: string | undefined }) => (address === undefined ? "" : ` at ${address}`);

/** Errors of a client whose host is in another process. */
export const errors = defineErrors({
  LINK_ADDRESS: (a: { address: string }) =>
    `${a.address} is not the address of a host: it begins with ws:// or wss:// and contains no user, password, query or fragment. Pass a token separately.`,
  LINK_CHANNEL: (a: { problem: string }) =>
    `The option "dial" of connectHost ${a.problem}. It must be a function that returns a channel with the functions send, close and open, such as dialWebSocket(address).`,
  LINK_DIAL: (a: { address: string; reason?: string | undefined }) =>
    `Cannot connect to ${a.address}${a.reason === undefined ? "" : ` (${a.reason})`}. Check that the host runs and listens there: \`scorel host status\` on its computer shows its addresses.`,
  LINK_SILENT: (a: { ms: number; address?: string | undefined }) =>
    `The host${at(a)} did not answer within ${a.ms / 1000} s. Check that the address is that of a Scorel host, and that it is running: \`scorel host status\` on its computer.`,
  LINK_UNANSWERED: (a: { operation: string; ms: number; address?: string | undefined }) =>
    `The host${at(a)} is reachable, but has not answered ${requestFor(a.operation)} within ${a.ms / 1000} s; it is unknown whether that was done. \`scorel host logs\` on its computer may show why; \`scorel host serve --replace\` starts another one there.`,
  LINK_CLOSED: (a: { reason?: string | undefined; address?: string | undefined }) =>
    `The host${at(a)} closed the connection before it could be used${a.reason === undefined ? "" : ` (${a.reason})`}. Try again; \`scorel host logs\` on its computer shows why.`,
  LINK_UNPROVEN: (a: { address: string; said?: string | undefined }) =>
    `What answers at ${a.address} has not proved that it is your host, so the token was not sent to it${a.said === undefined ? "" : ` (it said: ${clause(a.said)})`}. Either the host does not know this token, or another program has taken its port, or the host is an earlier version. Behind a proxy, \`origins\` in the table [web-server] of the host's config.toml must name the address.`,
  LINK_INSECURE: (a: { address: string }) =>
    `The token cannot be sent to ${a.address}: browsers check whether it is your host only over https: and at addresses of this computer, such as http://127.0.0.1. Start the host with --tls-cert and --tls-key, or use an SSH tunnel to the same port of this computer.`,
  LINK_ENDED: (a: { reason: string }) => `The connection to the host has ended: ${a.reason}. Connect again.`,
  LINK_PROTOCOL: (a: { got: string; address?: string | undefined }) =>
    `${a.address ?? "This"} is not a Scorel host, or one of another version: it sent ${JSON.stringify(a.got)}. Check the address.`,
  LINK_TOO_LARGE: (a: { bytes: number; max: number }) =>
    `This request has at least ${a.bytes} bytes; over this connection, the host accepts at most ${a.max} in one request. It was not sent. Send less at once, or name a file that the session can read.`,
  LINK_REPEATED: (a: { operation: string; characters: number; times: number }) =>
    `The connection was lost ${a.times} times with ${requestFor(a.operation)} unanswered, which has ${a.characters} characters, so it is not sent again. It is unknown whether it was carried out. Check before you try again, with less in one request.`,
  LINK_RESULT: (a: { operation: string }) =>
    `The host's answer to ${requestFor(a.operation)} is not a valid answer of a Scorel host. Check the address; if it is right, \`scorel host logs\` on its computer may show why.`,
  LINK_PAGES: (a: { max: number }) =>
    `The host's answer could not be read completely: it had no end after ${a.max} pages, or kept changing between them. Try again; if that fails, too, \`scorel host serve --replace\` starts another host.`,
  RESUME_UNKNOWN: {
    exit: 2,
    text: (a: { wanted: string }) =>
      `No session has "${a.wanted}" in its id or title. \`scorel session list\` shows those of this directory; \`scorel --resume\` and /resume list those of this project.`,
  },
  RESUME_AMBIGUOUS: {
    exit: 2,
    text: (a: { wanted: string; count: number; named: readonly string[] }) =>
      `${a.count} sessions have "${a.wanted}" in their ids or titles:\n${a.named.map((line) => `  ${line}\n`).join("")}${a.count > a.named.length ? "  …\n" : ""}Use the id or more of the title, or choose with \`scorel --resume\` or /resume.`,
  },
  LINK_LOST: (a: { operation: string }) =>
    `The host was restarted while it worked on ${requestFor(a.operation)}, so it is unknown whether that was done. Check before you try again.`,
});
