import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { expect, it } from "vitest";
import type { DaemonContext } from "../../../plugins/daemon/context.ts";
import { installCommand, uninstallCommand } from "../../../plugins/daemon/install.ts";
import { openLog, readLog } from "../../../plugins/daemon/log-file.ts";
import { resetCommand } from "../../../plugins/daemon/reset.ts";
import { findDaemon } from "../../../plugins/daemon/state.ts";
import { keptTokens } from "../../../plugins/web-server/tokens.ts";
import { itWith } from "../../optional.ts";
import { testHome } from "../host/home.ts";

const ctx = {
  launch: {},
  config: { idleMinutes: 0 },
  collect: () => [{ value: [{ kept: () => keptTokens() }] }],
} as unknown as DaemonContext;

/** A home in which one of the state folders is a link to a folder of the user, and an invocation of a command. */
function linked(name: string) {
  const home = testHome();
  process.env.HOME = home.home;
  const own = join(home.home, "own");
  mkdirSync(own);
  for (const file of ["host.log", "host.lock", "host.json", "a.token", "tokens.json"])
    writeFileSync(join(own, file), file);
  mkdirSync(join(home.home, ".scorel"), { recursive: true, mode: 0o700 });
  symlinkSync(own, join(home.home, ".scorel", name));
  const printed: string[] = [];
  const stream = { write: (text: string) => printed.push(text) };
  const options = { yes: true } as Record<string, unknown>;
  const invocation = { options, stdin: stream, stdout: stream, env: {} } as unknown as Parameters<
    typeof resetCommand
  >[1];
  return { ...home, own, printed, invocation, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

it.each(["run", "host"])("a reset deletes nothing through a link at ~/.scorel/%s, and says so", async (name) => {
  using at = linked(name);
  const before = readdirSync(at.own);
  await expect(resetCommand(ctx, at.invocation)).rejects.toMatchObject({
    code: "STATE_FOLDER",
    message: expect.stringContaining(`.scorel/${name} is a link, so nothing in it is read, written or deleted.`),
  });
  expect(readdirSync(at.own)).toEqual(before);
});

it("a host behind a link at ~/.scorel/run is ignored", () => {
  using at = linked("run");
  const held = { pid: process.pid, start: "", boot: "", space: "", machine: "", since: "now", nonce: "n" };
  writeFileSync(join(at.own, "host.lock"), JSON.stringify(held));
  expect(findDaemon()).toBe(undefined);
});

it("the host's log is a regular file of the user, or is neither read nor written", () => {
  using home = testHome();
  process.env.HOME = home.home;
  const run = join(home.home, ".scorel/run");
  const log = join(run, "host.log");
  expect(readLog()).toBe("");
  mkdirSync(run, { recursive: true, mode: 0o700 });
  expect(readLog()).toBe("");
  const elsewhere = join(home.home, "elsewhere");
  writeFileSync(elsewhere, "secret\n", { mode: 0o600 });
  const strange = [
    () => symlinkSync(elsewhere, log),
    () => mkdirSync(log),
    () => {
      writeFileSync(log, "");
      chmodSync(log, 0o666);
    },
  ];
  for (const make of strange) {
    make();
    expect(() => readLog()).toThrow(expect.objectContaining({ code: "DAEMON_LOG" }));
    expect(() => openLog()).toThrow(expect.objectContaining({ code: "DAEMON_LOG" }));
    rmSync(log, { recursive: true });
  }
  expect(readFileSync(elsewhere, "utf8")).toBe("secret\n");
});

itWith("linux", "a service file is written over no link, and into no folder of others", async () => {
  using at = linked("run");
  const before = process.env.XDG_CONFIG_HOME;
  process.env.XDG_CONFIG_HOME = join(at.home, "config");
  const folder = join(at.home, "config/systemd/user");
  const unit = join(folder, "scorel-host.service");
  const own = join(at.home, "own.service");
  mkdirSync(folder, { recursive: true });
  const ask = (options: object) => installCommand(ctx, { ...at.invocation, options } as never).then(String, codeOf);
  try {
    writeFileSync(own, "# Written by: scorel host install\nmine");
    for (const target of [own, join(at.home, "none")]) {
      symlinkSync(target, unit);
      expect(await ask({})).toBe("DAEMON_FOREIGN_FILE");
      expect(() => uninstallCommand({ ...at.invocation, options: {} } as never)).toThrow("was not written by Scorel");
      rmSync(unit);
    }
    symlinkSync(own, unit);
    expect(await ask({ force: true })).toBe("0");
    expect([readFileSync(own, "utf8").endsWith("mine"), existsSync(join(at.home, "none"))]).toEqual([true, false]);
    chmodSync(folder, 0o777);
    expect(await ask({})).toBe("DAEMON_SERVICE_FOLDER");
  } finally {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = before;
  }
});
