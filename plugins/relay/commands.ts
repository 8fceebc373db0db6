import { hostname } from "node:os";
import type { Invocation } from "@scorel/cli/contract";
import type { Client } from "@scorel/host/contract";
import { codeOf, type PluginContext } from "@scorel/kernel";
import { agrees } from "@scorel/kit/terminal/answer";
import { lineOf } from "@scorel/kit/text/one-line";
import { type Scope, scopeNames } from "@scorel/kit/values/scopes";
import { attachCommand, forgetHost, pairedHosts, renameHost } from "./client/hosts.ts";
import type { RelayConfig } from "./config.ts";
import type { PairedDevice, PairingState } from "./contract.ts";
import { errors } from "./errors.ts";
import { fingerprintOf, hostRecord, shownDevice } from "./host/devices.ts";
import { offerText, pageAddress } from "./offer-text.ts";
import { relayAddresses, relaysOf } from "./peer/known-relays.ts";
import { checkName } from "./protocol/pairing-messages.ts";

type Context = PluginContext<RelayConfig, "gateway" | "host">;

const DEFAULT_SCOPES: readonly Scope[] = ["view", "prompt", "approve"];

/**
 * `scorel pair`: shows a code for another device. With a code as its argument, it pairs this computer with the host that shows that code.
 */
export async function pairCommand(ctx: Context, invocation: Invocation): Promise<number> {
  const [code] = invocation.args;
  return code === undefined ? offer(ctx, invocation) : join(ctx, code, invocation);
}

async function offer(ctx: Context, invocation: Invocation): Promise<number> {
  const { options, stdout, stdin, interrupt } = invocation;
  const scopes = options.scope === undefined ? DEFAULT_SCOPES : scopesOf(String(options.scope));
  const isAsked = options.yes !== true;
  if (isAsked && !(stdin.isTTY === true && stdout.isTTY === true)) throw errors.RELAY_NO_TERMINAL();
  const page = pageAddress(options.page ?? ctx.config.page);
  const client = await inBackground(ctx);
  let shown: string | undefined;
  try {
    const offered = await client.request("offer_pairing", {
      relays: relaysIn(ctx, options),
      insecure: options.insecure === true,
      name: nameOf(options.name),
    });
    shown = offered.code;
    stdout.write(await offerText(offered, { page, hash: page && (await ctx.find("pageFiles")?.hash()) }, stdout));
    const state = await nextState(client, shown, "waiting", interrupt);
    if (state?.state !== "asked")
      throw errors.RELAY_CODE_ENDED({ reason: state?.state === "ended" ? state.reason : "it was withdrawn" });
    const { name, fingerprint } = state.device;
    const asked = `"${lineOf(name)}" (${fingerprint}) has typed the code. Let it in (${scopes.join(", ")})? [y/N] `;
    const accept = !isAsked || (await agrees(asked, invocation));
    const { device } = await client.request("answer_pairing", { code: shown, accept, scopes: [...scopes] });
    shown = undefined;
    stdout.write(device ? pairedText(device) : "It was not let in.\n");
    return device ? 0 : 1;
  } finally {
    // Withdraws the code, and refuses a device that waits for an answer, for example when the command was interrupted.
    // It fails for a code that has ended by itself.
    if (shown !== undefined) await client.request("answer_pairing", { code: shown, accept: false }).catch(() => {});
    await client.close();
  }
}

/** Waits for the next state of pairing; undefined when the command is interrupted. */
async function nextState(client: Client, code: string, known: PairingState["state"], interrupt: AbortSignal) {
  const interrupted = new Promise<undefined>((resolve) => {
    interrupt.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  while (!interrupt.aborted) {
    const state = await Promise.race([client.request("follow_pairing", { code, state: known }), interrupted]);
    if (state?.state !== known) return state;
  }
  return undefined;
}

function pairedText({ name, scopes }: PairedDevice): string {
  return `"${lineOf(name)}" is paired, and may use this host (${scopes.join(", ")}).\n`;
}

/** Relays from the command line, or else from the configuration. Throws RELAY_ADDRESS, RELAY_PLAIN, RELAY_ADDRESSES. */
function relaysIn({ config }: Context, options: Invocation["options"]): string[] | undefined {
  const given = options.relay === undefined ? config.url : String(options.relay);
  return given === undefined ? undefined : relayAddresses(given, { insecure: options.insecure === true });
}

async function join(ctx: Context, code: string, { options, stdout }: Invocation): Promise<number> {
  const relays = relaysIn(ctx, options);
  if (relays === undefined) throw errors.RELAY_NONE();
  const { pairWith } = await import("./client/pair.ts");
  const confirmed = (own: string) =>
    void stdout.write(`The code is right. Say yes on the other computer: it shows this one as ${own}.\n`);
  const host = await pairWith({ code, relays, name: nameOf(options.name), confirmed });
  const name = lineOf(host.name);
  stdout.write(`Paired with "${name}" (${fingerprintOf(host.id)}; ${host.scopes.map(lineOf).join(", ")}).\n`);
  const { problemAt } = await import("./client/dial.ts");
  const problem = await problemAt(host);
  if (problem) throw errors.RELAY_PAIRED_APART({ problem: lineOf(problem.message) }, { cause: problem });
  stdout.write(`To talk there: ${attachCommand(host)}\n`);
  return 0;
}

/** `scorel device list` */
export async function listCommand(ctx: Context, { options, stdout }: Invocation): Promise<number> {
  const { devices, relays } = await listed(ctx);
  const hosts = pairedHosts().map(({ id, name, scopes, pairedAt, ...known }) => {
    return { id, name, relays: relaysOf(known), scopes, pairedAt, fingerprint: fingerprintOf(id) };
  });
  if (options.output === "json") stdout.write(`${JSON.stringify({ devices, relays, hosts }, null, 2)}\n`);
  else if (devices.length + hosts.length === 0)
    stdout.write("Nothing is paired. `scorel pair` shows a code for another device.\n");
  else {
    if (devices.length > 0) stdout.write("Devices that may reach this computer's host:\n");
    for (const { name, fingerprint, scopes, connected } of devices)
      stdout.write(`  ${lineOf(name)}  ${fingerprint}  ${scopes.join(", ")}${connected ? "  connected" : ""}\n`);
    for (const { address, state } of relays) stdout.write(`  through ${lineOf(address)}  ${lineOf(state)}\n`);
    if (hosts.length > 0) stdout.write("Hosts that this computer may reach:\n");
    for (const { name, fingerprint, scopes, relays: through } of hosts)
      stdout.write(`  ${lineOf(name)}  ${fingerprint}  ${scopes.map(lineOf).join(", ")}  ${throughText(through)}\n`);
  }
  return 0;
}

function throughText(relays: readonly string[]): string {
  return `through ${relays.map(lineOf).join(", ")}`;
}

/** Devices and relays from the running host, or from its files if none runs. */
async function listed(ctx: Context) {
  const running = await runningHost(ctx);
  if (!running) {
    const { devices, relays } = hostRecord();
    const away = "the host does not run";
    return {
      devices: devices.map((device) => ({ ...shownDevice(device), connected: false })),
      relays: relays.flat().map((address) => ({ address, state: away })),
    };
  }
  try {
    return await running.request("list_paired_devices", {});
  } finally {
    await running.close();
  }
}

/** `scorel device rename` */
export async function renameCommand(
  ctx: Context,
  { args: [wanted = "", name = ""], stdout }: Invocation,
): Promise<number> {
  const checked = nameOf(name);
  const renamed = isHost(wanted)
    ? await renameHost(wanted, checked)
    : (await asHost(ctx, (client) => client.request("change_paired_device", { device: wanted, name: checked }))).device;
  stdout.write(`It is called "${lineOf(renamed.name)}" now.\n`);
  return 0;
}

/** `scorel device scopes` */
export async function scopesCommand(
  ctx: Context,
  { args: [wanted = "", list = ""], stdout }: Invocation,
): Promise<number> {
  const scopes = scopesOf(list);
  const { device } = await asHost(ctx, (client) => client.request("change_paired_device", { device: wanted, scopes }));
  stdout.write(`"${lineOf(device.name)}" may now: ${device.scopes.join(", ")}.\n`);
  return 0;
}

/** `scorel device revoke` */
export async function revokeCommand(ctx: Context, { args: [wanted = ""], stdout }: Invocation): Promise<number> {
  if (isHost(wanted)) {
    const { name } = await forgetHost(wanted);
    stdout.write(
      `This computer has forgotten the host "${lineOf(name)}". To shut it out there: scorel device revoke, on that computer.\n`,
    );
    return 0;
  }
  const { device } = await asHost(ctx, (client) => client.request("revoke_paired_device", { device: wanted }));
  stdout.write(`"${lineOf(device.name)}" is let in no more.\n`);
  return 0;
}

/** Whether a name belongs to a host that this computer is paired with, and not to a paired device. */
function isHost(wanted: string): boolean {
  const names = ({ id, name }: { id: string; name: string }) => [id, name, fingerprintOf(id)];
  return (
    !hostRecord().devices.some((each) => names(each).includes(wanted)) &&
    pairedHosts().some((each) => names(each).includes(wanted))
  );
}

/** Sends requests to the background host. If none runs, this process does the work, which changes the same files. */
async function asHost<R>(ctx: Context, work: (client: Client) => Promise<R>): Promise<R> {
  const client = (await runningHost(ctx)) ?? ctx.host.connect({ name: "device" });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function inBackground(ctx: Context): Promise<Client> {
  const daemon = ctx.find("daemon");
  if (!daemon) throw errors.RELAY_NOT_RUNNING_HOST();
  return daemon.connect("pair");
}

async function runningHost(ctx: Context): Promise<Client | undefined> {
  try {
    return await ctx.find("daemon")?.connect("device", { start: false });
  } catch (thrown) {
    if (codeOf(thrown) === "DAEMON_NONE") return undefined;
    throw thrown;
  }
}

/** The name that other computers see: the given one, or that of this computer. */
function nameOf(given: unknown): string {
  const name = (given === undefined ? hostname().split(".")[0] || "computer" : String(given)).trim();
  checkName(name);
  return name;
}

function scopesOf(text: string): Scope[] {
  return text.split(",").map((word) => {
    const scope = scopeNames.find((each) => each === word.trim());
    if (!scope) throw errors.RELAY_SCOPE({ scope: word, known: scopeNames });
    return scope;
  });
}
