import { existsSync } from "node:fs";
import { join } from "node:path";
import { connectHost } from "@scorel/host/client";
import { describe, expect, it } from "vitest";
import { lockFile, runFolder } from "../../plugins/daemon/run-folder.ts";
import { removeState, writeState } from "../../plugins/daemon/state.ts";
import { holderOf, tryLock } from "../../plugins/kit/files/lock.ts";
import { makePrivate } from "../../plugins/kit/files/private-folder.ts";
import { listenOn } from "../../plugins/socket/socket.ts";
import { dialOverSsh } from "../../plugins/ssh/dial.ts";
import { transportContract } from "../contracts/transport.ts";
import { eventually } from "../eventually.ts";
import { startModelServer, text } from "../model-server.ts";
import { fakeSsh } from "./fake-ssh.ts";
import { scratch } from "./scorel.ts";

/** Milliseconds. A busy computer may need a while to end processes. */
const patient = { first: 120_000, again: 10_000, end: 20_000 };

/** Uses a fake `ssh` that runs the command in a shell of this computer. */
describe("a host over SSH", () => {
  transportContract(async ({ gateway, folder }) => {
    makePrivate(runFolder());
    const lock = tryLock(lockFile());
    if (!lock || !("release" in lock)) throw new Error("the home has a host");
    const listening = await listenOn(join(folder, "run", "host.sock"), gateway);
    const addresses = [{ transport: "socket", address: listening.address }];
    writeState({
      ...{ pid: process.pid, nonce: holderOf(lockFile())?.nonce ?? "", version: "1.0.0", preset: "none" },
      ...{ startedAt: Date.now(), addresses },
    });
    const { path, running } = fakeSsh(folder);
    const env = { ...process.env, PATH: path };
    return {
      connect: () => connectHost({ dial: () => dialOverSsh(new URL("ssh:box"), { env }, patient), version: "1.0.0" }),
      async [Symbol.asyncDispose]() {
        await listening.close();
        // Until they have ended, they may still write to the home.
        await eventually(() => expect(running()).toEqual([]));
        removeState();
        lock.release();
      },
    };
  });
});

describe("scorel attach --ssh", () => {
  it("uses a session of a remote host, which it starts on request", async () => {
    using here = scratch();
    using there = scratch();
    await using server = await startModelServer([text("one"), text("two")]);
    there.useModel(server.baseUrl);
    const ssh = fakeSsh(here.home, { home: there.home });
    const attach = (args: string[], input = "") =>
      here.run(["attach", "--ssh", "me@box", ...args], { input, env: { PATH: ssh.path } });
    const alone = await attach([]);
    expect(alone).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("No host is running") });
    expect(alone.stderr).toContain("last login: never");
    try {
      expect(await attach(["--start"])).toMatchObject({ code: 2, stderr: expect.stringContaining("no session yet") });
      expect(await there.run(["-p", "first"])).toMatchObject({ code: 0, stdout: "one\n" });
      expect(await attach([], "second\n")).toMatchObject({ code: 0, stdout: expect.stringContaining("two") });
    } finally {
      await there.run(["host", "stop"]);
    }
    expect(there.logs().length).toBe(1);
    expect(existsSync(join(here.home, ".scorel/sessions"))).toBe(false);
    const args = ssh.args();
    expect(args.slice(0, 3)).toEqual(["-T", "-a", "-x"]);
    expect(args.slice(-3)).toEqual([
      "--",
      "me@box",
      expect.stringMatching(/^scorel host proxy --greeting [\da-f]{32}$/),
    ]);
  });

  it("refuses a target that is an option or could be a command, without starting ssh", async () => {
    using s = scratch();
    const ssh = fakeSsh(s.home);
    const targets = [
      "-oProxyCommand=touch owned",
      "ssh://-oProxyCommand=x",
      "me@-box",
      "box;touch owned",
      "$(id)",
      "",
      "a b",
    ];
    for (const target of targets) {
      const run = await s.run(["attach", `--ssh=${target}`], { env: { PATH: ssh.path } });
      expect({ target, ...run }).toMatchObject({ target, code: 2, stdout: "" });
    }
    expect(ssh.args).toThrow();
    const both = await s.run(["attach", "--ssh", "box", "--url", "/x.sock"], { env: { PATH: ssh.path } });
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("Specify only one") });
  });

  it("says that Scorel is missing there, or ssh here", async () => {
    using s = scratch();
    const attach = (PATH: string) => s.run(["attach", "--ssh", "box"], { env: { PATH } });
    expect(await attach(fakeSsh(s.home, { hasScorel: false }).path)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The program scorel was not found"),
    });
    expect(await attach("/nonexistent:bin")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The program ssh was not found"),
    });
  });
});

describe("scorel host proxy", () => {
  it("takes no greeting that could act on a terminal, nor one of several lines", async () => {
    using s = scratch();
    for (const greeting of ["\u001b[2Jhere", "two\nlines", "two words", ""]) {
      const { code, stdout, stderr } = await s.run(["host", "proxy", "--greeting", greeting]);
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/^scorel: --greeting takes 1 to 200 letters.*\n$/),
      });
    }
  });

  it("carries messages and nothing else, and ends with the host or with its caller", async () => {
    using s = scratch();
    const serving = s.start(["host", "serve", "--foreground"]);
    await serving.line((line) => line.startsWith("socket: "));
    const hello = JSON.stringify({ type: "hello", protocol: 1, version: "1" });
    const asked = await s.run(["host", "proxy"], { input: `${hello}\n{"type":"ping","answered":0}\n` });
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    const messages = asked.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(messages).toEqual(["welcome", "pong"]);
    const proxy = s.start(["host", "proxy", "--greeting", "here-it_begins"], { open: true });
    proxy.child.stdin?.write(`${hello}\n`);
    await proxy.line((line) => line.includes('"welcome"'));
    serving.child.kill("SIGTERM");
    await serving.finished;
    const { code, stdout } = await proxy.finished;
    expect([code, stdout.split("\n")[0]]).toEqual([0, "here-it_begins"]);
    expect(stdout).toContain('"closing"');
    expect(await s.run(["host", "proxy"])).toMatchObject({ code: 1, stdout: "" });
  });
});
