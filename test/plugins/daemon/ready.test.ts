import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { beforeEach, expect, it, vi } from "vitest";
import { readyHost } from "../../../plugins/daemon/ready.ts";
import { lockFile, runFolder } from "../../../plugins/daemon/run-folder.ts";
import { type DaemonState, writeState } from "../../../plugins/daemon/state.ts";
import { ownIdentity } from "../../../plugins/kit/process/identity.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

beforeEach(() => {
  vi.stubEnv("HOME", temporaryFolder("scorel-ready-"));
  mkdirSync(runFolder(), { recursive: true, mode: 0o700 });
  return () => void vi.unstubAllEnvs();
});

/** Writes the lock of a host that runs in this process, or in another container. */
function lock(nonce: string, more: object = {}): void {
  const holder = { ...ownIdentity(), since: "today", nonce, ...more };
  writeFileSync(lockFile(), JSON.stringify(holder), { mode: 0o600 });
}

function host(nonce: string): DaemonState {
  const { pid } = ownIdentity();
  return { pid, nonce, version: "1.0.0", preset: "coding", startedAt: 1, addresses: [] };
}

/** Starts a host that can be reached at once. */
const starting = (state: DaemonState) => async () => {
  lock(state.nonce);
  writeState(state);
};

it("a host that is ending is waited for, and then another one is started", async () => {
  lock("ending00000000000000");
  const next = host("next0000000000000000");
  const ready = readyHost(starting(next));
  setImmediate(() => rmSync(lockFile()));
  expect(await ready).toEqual(next);
});

it("a host that another process starts at the same moment is used", async () => {
  const other = host("other000000000000000");
  const ready = readyHost(async () => {
    await starting(other)();
    throw new Error("a host is already running");
  });
  expect(await ready).toEqual(other);
});

it("a host in another container that cannot be reached is named at once, with the file to delete if it is gone", async () => {
  lock("elsewhere00000000000", { space: "pid:[1]" });
  await expect(readyHost(async () => {})).rejects.toMatchObject({
    code: "DAEMON_ELSEWHERE",
    data: { path: lockFile() },
  });
});

it("without a host, and without leave to start one, that is the error; as is the reason why none starts", async () => {
  await expect(readyHost()).rejects.toMatchObject({ code: "DAEMON_NONE" });
  await expect(readyHost(() => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
});
