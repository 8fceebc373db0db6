import { defineErrors } from "@scorel/kernel";
import { requestFor } from "@scorel/kit/text/deed";

export const errors = defineErrors({
  DAEMON_RUNNING: (a: { pid: number; since: string }) =>
    `A host is already running (process ${a.pid}, since ${a.since}). To stop it and start a new one: scorel host serve --replace`,
  DAEMON_START: (a: { log: string; output: string }) =>
    `The host did not start${a.output === "" ? "." : `:\n${a.output}`}\nIts output is in ${a.log}; \`scorel host serve --foreground\` shows it here.`,
  DAEMON_LOG: (a: { path: string; problem: string }) =>
    `${a.path} cannot be used as the host's log: ${a.problem}. Check what it is, and move it away.`,
  DAEMON_NO_LOG: (a: { path: string }) =>
    `There is no host log yet: ${a.path} is missing or empty. \`scorel host serve\` starts a host in the background, which writes it; with --foreground, a host prints its output to its terminal instead.`,
  DAEMON_STOP: (a: { pid: number; seconds: number }) =>
    `The host (process ${a.pid}) has not stopped after ${a.seconds} s. It may be waiting for a command that does not end: \`kill -9 ${a.pid}\` ends it, and no stored event is lost.`,
  DAEMON_NONE: () => "No host is running. Start one: scorel host serve",
  DAEMON_MOVED: (a: { operation: string }) =>
    `The host went away while it worked on ${requestFor(a.operation)}, and the session continues in another process, so it is unknown whether that was done. Check before you retry.`,
  DAEMON_ELSEWHERE: (a: { machine: string; pid: number; path: string }) =>
    `A host that cannot be checked from here (process ${a.pid} on ${a.machine}) uses this home. Stop it there; if that machine or container is gone, delete ${a.path}.`,
  DAEMON_NO_PAGE: (a: { reason: string }) =>
    `The running host has no port for the page, and is not restarted: ${a.reason}. To stop it anyway: scorel host serve --replace --port 7777`,
  DAEMON_NO_WEB: () =>
    'The preset of the running host has no web server, so it cannot open a port. Add "web-server" to "use" in the preset, and start the host again: scorel host serve --replace --port 7777',
  DAEMON_OWN_USER: () => "Only a command on the host's computer can make it open a port. Run it there: scorel up",
  DAEMON_LINK_SCOPE: {
    exit: 2,
    text: (a: { scope: string; known: readonly string[] }) =>
      `--scope ${JSON.stringify(a.scope)} is not a scope that a link can have. Use ${a.known.join(", ")}, or several, separated by commas.`,
  },
  DAEMON_LINK_ADDRESS: {
    exit: 2,
    text: (a: { address: string }) =>
      `--at ${JSON.stringify(a.address)} is not the address of a page. Write it as in the browser, with https:// or http://, and without a question mark or #: --at https://example.org/scorel/`,
  },
  DAEMON_NO_CHAT: {
    exit: 2,
    text: () =>
      'This preset has no conversation to attach with. Add "chat" to "use" in the preset, or leave --preset out.',
  },
  DAEMON_NO_SESSION: {
    exit: 2,
    text: (a: { others: readonly string[] }) =>
      `There is no session yet on this computer, so there is none to attach to. \`scorel\` starts one.${a.others.length === 0 ? "" : ` To talk on another computer:\n${a.others.map((each) => `  ${each}`).join("\n")}`}`,
  },
  DAEMON_NO_SESSION_THERE: {
    exit: 2,
    text: () => "The host has no session yet, so there is none to attach to. Start one on its computer: scorel",
  },
  DAEMON_ADDRESS: {
    exit: 2,
    text: (a: { address: string; known: readonly string[]; near?: string | undefined }) =>
      `"${a.address}" is not the address of a host.${a.near === undefined ? "" : ` Did you mean "${a.near}"?`} Use the path of its socket, or an address that begins with ${a.known.join(", ")}; \`scorel host status\` on its computer shows them.`,
  },
  DAEMON_NO_ADDRESS: {
    exit: 2,
    text: (a: { option: string }) =>
      `${a.option} applies only to a host at an address, and none was given. Add --url <address>, or omit ${a.option}.`,
  },
  DAEMON_ADDRESSES: {
    exit: 2,
    text: (a: { addresses: readonly string[] }) =>
      `Several hosts were given: ${a.addresses.join(" and ")}. Specify only one.`,
  },
  DAEMON_UNCONFIRMED: {
    exit: 2,
    text: (a: { danger: string }) =>
      `The host was not started. ${a.danger} Answer "y" in a terminal, or add --yes, if that is what you want.`,
  },
  DAEMON_RESET: {
    exit: 2,
    text: () => 'Nothing was changed. Answer "y" in a terminal, or add --yes, if that is what you want.',
  },
  DAEMON_NO_MANAGER: {
    exit: 2,
    text: (a: { platform: string }) =>
      `Service files are supported for systemd (Linux) and launchd (macOS), not for ${a.platform}. Configure your system to run \`scorel host serve --foreground\` when you log in.`,
  },
  DAEMON_FOREIGN_FILE: {
    exit: 2,
    text: (a: { path: string }) =>
      `${a.path} was not written by Scorel, so it was not changed. Move it away, or add --force.`,
  },
  DAEMON_SERVICE_FOLDER: (a: { path: string; reason: string; command: string }) =>
    `${a.path} ${a.reason}, so another user could choose what runs when you log in. Nothing was written. If it is yours, run: ${a.command}`,
  DAEMON_NO_SOCKET: () =>
    "The running host has no Unix socket. Add the plugin `socket` to its preset, then run: scorel host serve --replace",
  DAEMON_GREETING: {
    exit: 2,
    text: () => "--greeting takes 1 to 200 letters, digits, hyphens and underscores, such as a random number in hex.",
  },
  DAEMON_PROXY: (a: { path: string; reason: string }) =>
    `The connection to the host at ${a.path} failed (${a.reason}). \`scorel host status\` shows whether it runs.`,
  DAEMON_LINES: {
    exit: 2,
    text: (a: { value: string }) => `--lines takes a positive number of lines, not "${a.value}".`,
  },
});
