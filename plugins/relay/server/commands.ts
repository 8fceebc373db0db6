import type { Invocation } from "@scorel/cli/contract";
import { codeOf } from "@scorel/kernel";
import type { PageFiles } from "../contract.ts";
import { errors } from "../errors.ts";
import { fromBase64url } from "../protocol/bytes.ts";
import { natsSettings } from "./bus/nats-settings.ts";
import { askRelay, type ControlRequest, type RelayStatus, serveControl } from "./control.ts";
import { dataFolder, holdFolder } from "./data-folder.ts";
import { listenAsRelay } from "./listen.ts";
import { StoredRevocations } from "./revocations.ts";
import { settingsOf } from "./settings.ts";

const ID_BYTES = 32;

/** `scorel relay serve`: runs until it is interrupted. */
export async function serveRelay(
  { options, env, stdout, stderr, interrupt }: Invocation,
  files: PageFiles | undefined,
): Promise<number> {
  const page = options.page === true ? pageOf(files) : undefined;
  // Fails now if the page has not been built, and not only when a browser asks for it.
  const hash = await page?.hash();
  const settings = settingsOf(options);
  const nats = natsSettings(options, env);
  const folder = dataFolder(options.data);
  const lost = new AbortController();
  const lock = await holdFolder(folder, () => lost.abort());
  try {
    const revocations = new StoredRevocations(folder, Date.now());
    const warn = (message: string) => void stderr.write(`${message}\n`);
    const bus = nats && (await (await import("./bus/nats.ts")).NatsBus.join(nats, warn));
    const listening = await listenAsRelay(settings, { revocations, warn, ...(bus && { bus }), ...(page && { page }) });
    const { relay, address } = listening;
    const startedAt = Date.now();
    const control = await serveControl(folder, (request: ControlRequest) => {
      if (request.type === "block") return void relay.block(request.id);
      const memory = process.memoryUsage.rss();
      return {
        ...{ pid: process.pid, startedAt, address, names: settings.names, memory },
        ...relay.counts,
        ...(bus && { bus: bus.isConnected }),
      };
    });
    stdout.write(`The relay listens at ${address}\n`);
    if (nats) stdout.write(`It shares the bus at ${nats.servers.join(", ")}\n`);
    if (settings.names.length > 0) stdout.write(`It goes by: ${settings.names.join(", ")}\n`);
    stdout.write(`On the computer of a host: scorel pair --relay ${publicAddress(address, settings.names[0])}\n`);
    if (hash !== undefined)
      stdout.write(`Its page is at ${pageAddress(publicAddress(address, settings.names[0]))} (SHA-256 ${hash})\n`);
    await untilStopped(AbortSignal.any([interrupt, lost.signal]));
    control.close();
    await listening.close();
    if (lost.signal.aborted) throw errors.RELAY_TAKEN({ folder });
    return 0;
  } finally {
    lock.release();
  }
}

/** `scorel relay page <folder>` */
export async function writePage(
  { args: [folder = ""], stdout }: Invocation,
  files: PageFiles | undefined,
): Promise<number> {
  const { hash, headers } = await pageOf(files).write(folder);
  stdout.write(`The page is in ${folder}. SHA-256 of its index.html:\n  ${hash}\n`);
  stdout.write("Its server should have TLS, and send with each file:\n");
  for (const [name, value] of Object.entries(headers)) stdout.write(`  ${name}: ${value}\n`);
  return 0;
}

function pageOf(files: PageFiles | undefined): PageFiles {
  if (!files) throw errors.RELAY_PAGE_NONE();
  return files;
}

/** The address of the page that a relay at this address serves. */
function pageAddress(relay: string): string {
  return new URL("/", relay.replace(/^ws/, "http")).href;
}

/** `scorel relay status` */
export async function relayStatus({ options, stdout }: Invocation): Promise<number> {
  const folder = dataFolder(options.data);
  let status: RelayStatus | undefined;
  try {
    status = await askRelay(folder, { type: "status" });
  } catch (thrown) {
    if (codeOf(thrown) !== "RELAY_NOT_RUNNING") throw thrown;
  }
  if (options.output === "json")
    stdout.write(`${JSON.stringify({ running: status !== undefined, ...status }, null, 2)}\n`);
  else stdout.write(status ? statusText(status) : `${errors.RELAY_NOT_RUNNING({ folder }).message}\n`);
  return status ? 0 : 1;
}

/** `scorel relay revoke <id>`: blocks an identity at this relay. */
export async function revokeIdentity({ args: [id = ""], options, stdout }: Invocation): Promise<number> {
  if (fromBase64url(id)?.length !== ID_BYTES) throw errors.RELAY_ID({ id });
  const folder = dataFolder(options.data);
  try {
    await askRelay(folder, { type: "block", id });
  } catch (thrown) {
    if (codeOf(thrown) !== "RELAY_NOT_RUNNING") throw thrown;
    const lock = await holdFolder(folder);
    try {
      new StoredRevocations(folder, Date.now()).block(id, Date.now());
    } finally {
      lock.release();
    }
  }
  stdout.write(`The relay carries nothing of ${id} any more.\n`);
  return 0;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function statusText(status: RelayStatus): string {
  const { pid, startedAt, address, names, hosts, clients, guests, strangers, routes, places, frames, memory } = status;
  const { bus } = status;
  return [
    `A relay runs at ${address} (process ${pid}, since ${new Date(startedAt).toISOString()})`,
    ...(names.length > 0 ? [`names: ${names.join(", ")}`] : []),
    `connections: ${counted(hosts, "host")}, ${counted(clients, "client")}, ${guests} pairing, ${strangers} not yet identified`,
    `routes: ${routes}; open codes: ${places}; frames carried: ${frames}; memory: ${Math.round(memory / 1_048_576)} MB`,
    ...(bus === undefined ? [] : [`bus: ${bus ? "connected" : "lost"}`]),
    "",
  ].join("\n");
}

/** The address for peers, with the relay's first name if it has names, since 127.0.0.1 works only on this computer. */
function publicAddress(address: string, name: string | undefined): string {
  return name === undefined ? address : `wss://${name}/relay`;
}

function untilStopped(interrupt: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interrupt.aborted) resolve();
    else interrupt.addEventListener("abort", () => resolve(), { once: true });
  });
}
