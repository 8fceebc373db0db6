import { execFileSync, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import {
  type BinarySocket,
  type ConnectOptions,
  connectRelay,
  type PeerEvents,
  type RelayConnection,
  type Who,
} from "../../plugins/relay/peer/connection.ts";
import type { PeerRoute } from "../../plugins/relay/peer/route.ts";
import { createIdentity } from "../../plugins/relay/protocol/identity.ts";
import { read } from "../docs/source.ts";
import { eventually } from "../eventually.ts";
import { describeUnless, itWith } from "../optional.ts";
import { packWhole } from "../packed.ts";
import { grantFor, Heard, listen, say } from "../plugins/relay/relays.ts";
import { type Engine, engineProblem, makeNodeImage, startEngine } from "./container-engine.ts";

const root = new URL("../..", import.meta.url).pathname;
/** The container's address outside of it. */
const INSIDE = "10.213.77.2";
const GUIDE = read("docs/guide/relay.md");

/** The content of the guide's only block of a language. */
function recipe(language: string): string {
  const [, block] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(GUIDE) ?? [];
  if (block === undefined) throw new Error(`The guide has no block of ${language}.`);
  return block;
}

const works = (program: string, args: readonly string[]) => spawnSync(program, args).status === 0;
const folder = fs.mkdtempSync(join(tmpdir(), "scorel-recipes-"));
fs.chmodSync(folder, 0o711);
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Connects to the relay like the proxy in front of it: with the relay's name, and the client's address in a header. */
function behindProxy(who: Who, events: Partial<PeerEvents> = {}): Promise<RelayConnection> {
  const make: ConnectOptions["make"] = (_address, protocol) => {
    const headers = { "X-Forwarded-For": "198.51.100.7" };
    return new WebSocket(`ws://${INSIDE}:7800/relay`, protocol, { headers }) as unknown as BinarySocket;
  };
  return connectRelay({ address: "wss://relay.example/relay", who, primitives: nodeCrypto, make, events });
}

/** Connects a host and a client through the relay, and sends a message. */
async function talkThrough(): Promise<void> {
  const [own, other] = [await createIdentity(nodeCrypto), await createIdentity(nodeCrypto)];
  const routes = new Heard<PeerRoute>();
  const host = await behindProxy({ role: "host", identity: own }, { incoming: routes.add });
  const client = await behindProxy({ role: "client", identity: other });
  const there = client.open(await grantFor(own, other));
  const heard = listen(await routes.next());
  say(there, "from outside");
  expect(await heard.texts.next()).toBe("from outside");
  host.close();
  client.close();
}

describe("the service file of the guide", () => {
  const unit = recipe("ini");

  itWith("systemd", "is accepted by systemd", () => {
    const path = join(folder, "scorel-relay.service");
    fs.writeFileSync(path, unit);
    const { stderr } = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
    expect(stderr.split("\n").filter((line) => line.includes("scorel-relay"))).toEqual([]);
  });

  itWith("root", "runs as a user that owns nothing but its folder, and ends in an orderly way", async () => {
    const state = join(folder, "state");
    fs.mkdirSync(state, { mode: 0o700 });
    fs.chownSync(state, 65534, 65534);
    const [, command = ""] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    const said = command
      .replaceAll("/var/lib/scorel-relay", state)
      .replace(/ scorel /, ` ${join(root, "dist/bin.js")} `);
    const [program = "", ...args] = said.replace("/usr/bin/env ", `${process.execPath} `).split(" ");
    const env = { PATH: process.env.PATH, HOME: state };
    const relay = spawn(program, [...args, "--port", "0"], { cwd: "/", env, uid: 65534, gid: 65534 });
    let output = "";
    for (const stream of [relay.stdout, relay.stderr]) stream.on("data", (bytes) => (output += bytes));
    onTestFinished(() => void relay.kill("SIGKILL"));
    await eventually(() => expect(output).toContain("The relay listens at ws://127.0.0.1:"));
    const ended = new Promise((resolve) => relay.once("exit", (...how) => resolve(how)));
    relay.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
    expect(fs.readdirSync(state)).not.toContain("relay.lock");
  });
});

const problem =
  engineProblem("podman") ?? (works("ip", ["netns", "list"]) ? undefined : "network namespaces cannot be made");

describeUnless("podman", problem, "the container of the guide", () => {
  const space = `scorel-${process.pid}`;
  let engine: Engine;

  const podman = (...args: string[]) => execFileSync("podman", args, { encoding: "utf8", stdio: "pipe" });
  const start = () => {
    const network = ["--network", `ns:/run/netns/${space}`];
    return podman("run", "--detach", ...network, "--read-only", "--volume", "relay:/data", "scorel-relay").trim();
  };
  const state = (id: string, what: string) => podman("inspect", "--format", `{{.State.${what}}}`, id).trim();
  const answers = () => eventually(() => talkThrough());

  beforeAll(async () => {
    const link = `sc${process.pid}`.slice(0, 14);
    const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });
    ip("netns", "add", space);
    ip("link", "add", link, "type", "veth", "peer", "name", "inner", "netns", space);
    ip("addr", "add", "10.213.77.1/30", "dev", link);
    ip("link", "set", link, "up");
    ip("-n", space, "addr", "add", `${INSIDE}/30`, "dev", "inner");
    for (const each of ["inner", "lo"]) ip("-n", space, "link", "set", each, "up");
    engine = await startEngine("podman");
    makeNodeImage("podman", "docker.io/library/node:22-slim");
    packWhole(folder, { ...process.env, HOME: folder });
    fs.writeFileSync(join(folder, "Dockerfile"), recipe("dockerfile"));
    podman("build", "--pull=never", "--isolation", "chroot", "--format", "docker", "--tag", "scorel-relay", folder);
  }, 300_000);
  afterAll(async () => {
    podman("rm", "--all", "--force", "--time", "0");
    await engine?.[Symbol.asyncDispose]();
    execFileSync("ip", ["netns", "del", space], { stdio: "pipe" });
  });

  it("can be reached from outside, reports its health, stops on request, and keeps revocations", async () => {
    const first = start();
    await answers();
    expect(podman("exec", first, "scorel", "relay", "status", "--data", "/data")).toContain("A relay runs at ws://");
    podman("healthcheck", "run", first);
    const gone = "A".repeat(43);
    podman("exec", first, "scorel", "relay", "revoke", gone, "--data", "/data");
    const begun = performance.now();
    podman("stop", "--time", "30", first);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(state(first, "ExitCode")).toBe("143");
    podman("start", first);
    await answers();
    expect(
      podman("exec", first, "/bin/sh", "-c", "exec node -p 'fs.readFileSync(`/data/revocations.jsonl`,`utf8`)'"),
    ).toContain(gone);
    podman("kill", "--signal", "KILL", first);
    await eventually(() => expect(state(first, "Running")).toBe("false"));
    // Another container with the same data cannot see that the process of the first one has ended.
    const second = start();
    await answers();
    expect(podman("logs", second)).toContain("The relay listens at");
  });
});
