import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  identityOf,
  isRunning,
  isSurelyRunning,
  isSuspended,
  ownIdentity,
  type ProcessIdentity,
} from "../../../../plugins/kit/process/identity.ts";
import { itWith } from "../../../optional.ts";

const answers = (process: ProcessIdentity) => [isRunning(process), isSurelyRunning(process)];

describe("a process that a file names", () => {
  it("certainly runs if pid, start, boot and namespace are its own", () => {
    expect(answers(ownIdentity())).toEqual([true, true]);
  });

  it.each([
    ["has another start", { start: "1" }],
    ["was before the machine was started again", { boot: "00000000-0000-0000-0000-000000000000" }],
    ["has a number that is not a process's", { pid: 2 ** 30 }],
    ["has a number that cannot be one", { pid: -1 }],
  ])("does not run if it %s", (_, change) => {
    expect(answers({ ...ownIdentity(), ...change })).toEqual([false, false]);
  });

  it.each([
    ["on another machine", { machine: "elsewhere", boot: "00000000-0000-0000-0000-000000000000" }],
    ["in another container", { space: "pid:[1]", pid: 2 ** 30 }],
    ["without a known start", { start: "" }],
  ])("may run %s, but not certainly", (_, change) => {
    expect(answers({ ...ownIdentity(), ...change })).toEqual([true, false]);
  });

  itWith("linux", "is seen to be suspended, and to have ended", async () => {
    const child = spawn("sleep", ["300"], { stdio: "ignore" });
    await once(child, "spawn");
    const other = { ...ownIdentity(), ...identityOf(child.pid as number) };
    expect([...answers(other), isSuspended(other)]).toEqual([true, true, false]);
    child.kill("SIGSTOP");
    await expect.poll(() => isSuspended(other)).toBe(true);
    expect(isSurelyRunning(other)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(answers(other)).toEqual([false, false]);
  });
});
