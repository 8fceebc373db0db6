import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { codeOf, messageOf } from "@scorel/kernel";
import { proxyFor } from "@scorel/kit/net/proxy";
import type { ModelReach, ReachStep } from "../contract.ts";
import type { OwnModel } from "../model.ts";
import { adviceOnCertificate } from "../wire/explain.ts";
import { httpFetch } from "../wire/http-fetch.ts";

type Env = Readonly<Record<string, string | undefined>>;
type Way = Pick<ModelReach, "proxy" | "steps" | "status" | "failed">;

/**
 * Tests the connection to a model's host step by step to find the one that fails. Sends neither key nor configured
 * headers: any answer, even a refusal, shows that the server is there.
 */
export async function reach(model: OwnModel, limit: number, env: Env): Promise<ModelReach> {
  const { model: chosen, offline } = model.chosen();
  const { baseUrl = chosen.baseUrl, ...access } = accessOf(model);
  const named = { model: `${chosen.provider}/${chosen.id}`, api: chosen.api, ...access };
  if (offline || !URL.canParse(baseUrl)) return { ...named, steps: [] };
  const url = new URL(baseUrl);
  return { ...named, host: url.host, ...(limit > 0 ? await walk(url, limit, env) : { steps: [] }) };
}

/** Returns the source of the key and the base URL, which may be a subscriber's own. */
function accessOf(model: OwnModel): Pick<ModelReach, "credential" | "keyProblem"> & { baseUrl?: string } {
  try {
    return { credential: model.credential(), baseUrl: model.current().baseUrl };
  } catch (thrown) {
    return { keyProblem: { code: codeOf(thrown), message: messageOf(thrown) } };
  }
}

async function walk(url: URL, limit: number, env: Env): Promise<Way> {
  const late = AbortSignal.timeout(limit);
  const steps: { step: ReachStep; ms: number }[] = [];
  const way: Way = { steps };
  let step: ReachStep = "name";
  const take = async <R>(next: ReachStep, work: () => Promise<R>): Promise<R> => {
    step = next;
    const began = performance.now();
    const found = await within(late, work());
    steps.push({ step, ms: Math.round(performance.now() - began) });
    return found;
  };
  let socket: Socket | undefined;
  try {
    const proxy = proxyFor(url, env);
    if (proxy) way.proxy = proxy.host;
    const next = proxy ?? url;
    const host = next.hostname.replace(/^\[|\]$/g, "");
    const { address } = await take("name", () => lookup(host));
    socket = await take("connection", () => connected(address, portOf(next), late));
    const plain = socket;
    if (next.protocol === "https:") socket = await take("encryption", () => encrypted(plain, host));
    way.status = await take("answer", () => answer(url, late));
    return way;
  } catch (thrown) {
    return { ...way, failed: failure(step, thrown, { url, proxy: way.proxy, late: late.aborted, limit }) };
  } finally {
    socket?.destroy();
  }
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

function connected(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Sets `servername` unless the host is an IP address, which TLS does not allow. */
async function encrypted(socket: Socket, host: string): Promise<Socket> {
  const { connect: secure } = await import("node:tls");
  const { isIP } = await import("node:net");
  return new Promise((resolve, reject) => {
    const covered = secure({ socket, host, ...(!isIP(host) && { servername: host }) });
    covered.once("secureConnect", () => resolve(covered));
    covered.once("error", reject);
  });
}

async function answer(url: URL, signal: AbortSignal): Promise<number> {
  const response = await httpFetch(url, { signal });
  await response.body?.cancel();
  return response.status;
}

/** Rejects on abort. A DNS lookup cannot be cancelled, so it is left running. */
function within<R>(signal: AbortSignal, work: Promise<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

interface At {
  url: URL;
  proxy: string | undefined;
  late: boolean;
  limit: number;
}

function failure(step: ReachStep, thrown: unknown, at: At): NonNullable<ModelReach["failed"]> {
  if (at.late)
    return { step, late: true, reason: `not finished within ${at.limit / 1000} s`, advice: adviceFor("", at) };
  const cause = (thrown as { cause?: unknown }).cause ?? thrown;
  const code = codeOf(cause, "");
  return { step, late: false, reason: code || messageOf(cause), advice: adviceFor(code || messageOf(cause), at) };
}

function adviceFor(reason: string, { url, proxy }: At): string {
  if (/answered 407/.test(reason))
    return "The proxy requires a user name and a password: HTTPS_PROXY=http://name:password@host:port";
  const next = proxy ?? url.host;
  const setting = proxy === undefined ? "baseUrl in [model]" : "HTTPS_PROXY or HTTP_PROXY";
  if (/ENOTFOUND|EAI_/.test(reason)) return `The name of ${next} cannot be resolved: check ${setting} and the network.`;
  if (/ECONNREFUSED/.test(reason))
    return `Nothing listens at ${next}: start that server, or check the port in ${setting}.`;
  const advice = adviceOnCertificate(next, reason);
  if (advice !== undefined) return advice;
  if (/EPROTO|SSL|ECONNRESET/.test(reason))
    return `${next} may not support this protocol: check https:// or http:// in ${setting}.`;
  return proxy === undefined
    ? `Is there a network, does a firewall block ${next}, and is a proxy needed (HTTPS_PROXY)?`
    : `Ask the administrator of the proxy ${next}, or exclude ${url.hostname} from it with NO_PROXY.`;
}
