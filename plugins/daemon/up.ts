import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { replaceFile } from "@scorel/kit/files/private";
import { inOwnFolder } from "@scorel/kit/files/state-folder";
import { startInBackground, wordsOf } from "./background.ts";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { errors } from "./errors.ts";
import { stopIdle } from "./replace.ts";
import { runFolder } from "./run-folder.ts";
import { type DaemonState, findDaemon } from "./state.ts";

/** The port at which the page is found when it is free; otherwise, the system chooses one. */
const PORT = 7777;

/** `scorel up`: starts the host with a web server if none runs, and opens its page with a link that works once. */
export async function upCommand(ctx: DaemonContext, invocation: Invocation): Promise<number> {
  const { options, stdout } = invocation;
  const state = await hostWithPage(ctx, invocation);
  const socket = addressOf(state, "socket");
  if (socket === undefined) throw errors.DAEMON_NONE();
  const client = await dialHost(ctx, socket, { name: "up", reconnect: false });
  try {
    const { code, address, seconds } = await client.request("create_access_code", { scopes: ["admin"] });
    const link = `${address}/#code=${code}`;
    const isOpened = options.noOpen !== true && (await openInBrowser(link, invocation.env));
    stdout.write(
      isOpened ? `Your browser was asked to open the page. If it does not: ${link}\n` : `Open this link: ${link}\n`,
    );
    stdout.write(`It works once, within ${seconds} s; \`scorel up\` makes another one.\n`);
  } finally {
    await client.close();
  }
  return 0;
}

/** The host of this home, with a web server: the one that runs, or a new one in its place if nothing uses it. */
async function hostWithPage(ctx: DaemonContext, invocation: Invocation): Promise<DaemonState> {
  const found = findDaemon();
  if (found?.state && addressOf(found.state, "web") !== undefined) return found.state;
  const port = typeof invocation.options.port === "string" ? invocation.options.port : String(await freePort());
  if (!found?.state) return startInBackground(invocation, wordsOf(ctx, { port }));
  const { background, words = [] } = found.state;
  const reason = background === true ? await stopIdle(ctx, found.state) : "it was not started by a command";
  if (reason !== undefined) throw errors.DAEMON_NO_PAGE({ reason });
  return startInBackground(invocation, [...words, "--port", port]);
}

function addressOf({ addresses }: DaemonState, transport: string): string | undefined {
  return addresses.find((each) => each.transport === transport)?.address;
}

/** The usual port if it can be used, so that the page keeps its address; else 0, for any. */
async function freePort(): Promise<number> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(PORT, "127.0.0.1", () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? PORT : 0;
}

/**
 * Opens a link in the person's browser, by a file that leads there: other users of this computer can see the arguments of programs, and
 * would be faster with the code.
 */
async function openInBrowser(link: string, env: Invocation["env"]): Promise<boolean> {
  const isGraphical = process.platform !== "linux" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  if (!isGraphical || env.SSH_CONNECTION !== undefined) return false;
  const [program, ...before] = { darwin: ["open"], win32: ["explorer"] }[process.platform as string] ?? ["xdg-open"];
  const child = spawn(program as string, [...before, fileLeadingTo(link)], { detached: true, stdio: "ignore" });
  child.unref();
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

/** Writes a page that only this user can read, and that leads to a link. Returns its path. */
function fileLeadingTo(link: string): string {
  const path = join(runFolder(), "page.html");
  const text = `<!doctype html><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">Scorel</a>\n`;
  inOwnFolder(runFolder(), (folder) => replaceFile(folder.at("page.html"), text));
  return path;
}
