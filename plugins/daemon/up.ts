import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { parse } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { userHome } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { ownPath } from "@scorel/kit/process/programs";
import { startInBackground, wordsOf } from "./background.ts";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { errors } from "./errors.ts";
import { readyHost } from "./ready.ts";
import { stopIdle } from "./replace.ts";
import { type DaemonState, lastPagePort, rememberPagePort } from "./state.ts";

/** The usual port of the page, if this home has had none yet. If no such port is free, the system chooses another one. */
const PORT = 7777;

const SCOPES = ["view", "prompt", "approve", "admin"] as const;
type Scope = (typeof SCOPES)[number];

/** `scorel up`: starts the host if none runs, makes it open a port if it has none, and opens its page with a link that works once. */
export async function upCommand(ctx: DaemonContext, invocation: Invocation): Promise<number> {
  const { options, stdout } = invocation;
  const scopes = scopesIn(options.scope);
  const proxy = options.at === undefined ? undefined : pageAddress(String(options.at));
  await checkPort(ctx, options.port);
  const state = await hostWithPage(ctx, invocation);
  const client = await dialHost(ctx, socketOf(state), { name: "up", reconnect: false });
  try {
    const isPrinted = options.noOpen === true || proxy !== undefined;
    const program = isPrinted ? undefined : openerOf(invocation.env);
    const mayBegin = scopes.some((scope) => scope === "admin" || scope === "prompt");
    const directory = mayBegin ? placeToBegin(invocation.cwd) : undefined;
    const asked = { scopes, asFile: program !== undefined, ...(directory !== undefined && { directory }) };
    const { code, address, seconds, file } = await client.request("create_access_code", asked);
    rememberPagePort(portOf(address));
    const link = `${proxy ?? `${address}/`}#code=${code}`;
    const isOpened = program !== undefined && file !== undefined && (await openWith(program, file));
    stdout.write(
      isOpened ? `Your browser was asked to open the page. If it does not: ${link}\n` : `Open this link: ${link}\n`,
    );
    stdout.write(`It works once, within ${seconds} s; \`scorel up\` makes another one.\n`);
  } finally {
    await client.close();
  }
  return 0;
}

/** The directory in which the page begins a session: the current one, unless it is not suitable for work. */
function placeToBegin(cwd: string): string | undefined {
  const directory = canonical(cwd);
  return directory === canonical(userHome()) || directory === parse(directory).root ? undefined : directory;
}

/** The scopes of the page that uses the link. */
function scopesIn(option: unknown): Scope[] {
  const names = option === undefined ? ["admin"] : String(option).split(",");
  return names.map((name) => {
    const scope = SCOPES.find((each) => each === name.trim());
    if (scope === undefined) throw errors.DAEMON_LINK_SCOPE({ scope: String(option), known: SCOPES });
    return scope;
  });
}

/** The address of the page at a proxy, with a slash at its end, without which the page would not find its files. */
function pageAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPage = url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && url.username + url.password === "";
  if (!isPage) throw errors.DAEMON_LINK_ADDRESS({ address: text });
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** Throws the error of the transport that takes the port if it is none, before a host is started because of it. */
async function checkPort(ctx: DaemonContext, port: unknown): Promise<void> {
  for (const { value } of ctx.collect("transports")) for (const transport of value) await transport.danger?.({ port });
}

/** The host of this home, with a port for the page. A running host opens the port without a restart. */
async function hostWithPage(ctx: DaemonContext, invocation: Invocation): Promise<DaemonState> {
  const chosenPort = async () =>
    typeof invocation.options.port === "string" ? invocation.options.port : String(await freePort());
  const state = await readyHost(async () => startInBackground(invocation, wordsOf(ctx, { port: await chosenPort() })));
  if (addressOf(state, "web") !== undefined) return state;
  const port = await chosenPort();
  if (state.version !== ctx.launch.version) return replaced(ctx, invocation, state, port);
  await openPort(ctx, state, port);
  return state;
}

async function openPort(ctx: DaemonContext, state: DaemonState, port: string): Promise<void> {
  const client = await dialHost(ctx, socketOf(state), { name: "up", reconnect: false });
  try {
    await client.request("open_port", { port: Number(port) });
  } finally {
    await client.close();
  }
}

/** Replaces a host of another version, which may not be able to open a port while it runs. Throws DAEMON_NO_PAGE. */
async function replaced(ctx: DaemonContext, invocation: Invocation, state: DaemonState, port: string) {
  const { background, words = [] } = state;
  const reason = background === true ? await stopIdle(ctx, state) : "it was not started by a command";
  if (reason !== undefined) throw errors.DAEMON_NO_PAGE({ reason });
  return startInBackground(invocation, [...words, "--port", port]);
}

function socketOf(state: DaemonState): string {
  const socket = addressOf(state, "socket");
  if (socket === undefined) throw errors.DAEMON_NONE();
  return socket;
}

function addressOf({ addresses }: DaemonState, transport: string): string | undefined {
  return addresses.find((each) => each.transport === transport)?.address;
}

/** The last port of the page, or the usual one, if it is free, so that open pages find the host again; else 0, for any port. */
async function freePort(): Promise<number> {
  for (const port of new Set([lastPagePort() ?? PORT, PORT])) if (await isFree(port)) return port;
  return 0;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isListening;
}

/** The port of an address; the scheme's own if the address names none. */
function portOf(address: string): number {
  const { port, protocol } = new URL(address);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

/** The program that opens files in the user's browser; undefined where no browser could be seen. */
function openerOf(env: Invocation["env"]): readonly string[] | undefined {
  const isGraphical = process.platform !== "linux" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  if (!isGraphical || env.SSH_CONNECTION !== undefined) return undefined;
  return { darwin: ["open"], win32: ["explorer"] }[process.platform as string] ?? ["xdg-open"];
}

/**
 * Opens a file that redirects to the link, since other users of this computer can see the arguments of programs, and could use the link
 * first.
 */
async function openWith([program = "", ...before]: readonly string[], file: string): Promise<boolean> {
  const env = { ...process.env, PATH: ownPath(process.env.PATH) };
  const child = spawn(program, [...before, file], { env, detached: true, stdio: "ignore" });
  child.unref();
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}
