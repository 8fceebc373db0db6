import { definePlugin } from "@scorel/kernel";
import { expect, it, vi } from "vitest";
import { rememberExtension } from "../../../../plugins/extensions/containment/owners.ts";
import { takeUncaught } from "../../../../plugins/extensions/containment/uncaught.ts";
import { contained, testKernel } from "../../../harness.ts";

const copy = "/copy/.scorel/extensions/wild.ts";
const path = "/project/.scorel/extensions/wild.ts";
const wild = (more: object) => definePlugin({ id: "wild", name: "Wild", version: "1.0.0", ...more });

/** An error that was thrown in the running file. */
function thrownInFile(): Error {
  const error = new Error("late");
  error.stack = `Error: late\n    at tick (${copy}:3:9)\n    at listOnTimeout (node:internal/timers:1:1)`;
  return error;
}

it.each<[string, object]>([
  ["that runs", {}],
  ["that was left out, as nobody provides what it needs", { needs: ["nothing"] }],
  ["that failed to start", { activate: () => Promise.reject(new Error("no")) }],
])("an uncaught error is reported in the session of an extension %s, with its line", async (_what, more) => {
  rememberExtension({ id: "wild", path, file: copy });
  await using t = await testKernel([contained(wild(more), path, { file: copy })]);
  expect(takeUncaught("a timer or callback", thrownInFile())).toBe(true);
  expect(t.kernel.failures.at(-1)).toEqual({
    plugin: "wild",
    where: "a timer or callback",
    code: "UNEXPECTED",
    message: "late",
    at: `${path}:3`,
  });
});

it("after the session has ended, it is reported on stderr; an error of Scorel's own code is not handled here", async () => {
  rememberExtension({ id: "wild", path, file: copy });
  const t = await testKernel([contained(wild({}), path, { file: copy })]);
  await t.kernel.stop();
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    expect(takeUncaught("a timer or callback", thrownInFile())).toBe(true);
    expect(takeUncaught("a timer or callback", new Error("ours"))).toBe(false);
    expect(write.mock.calls).toEqual([[`scorel: extension "wild" failed in a timer or callback: late (${path}:3)\n`]]);
  } finally {
    write.mockRestore();
  }
  expect(t.kernel.failures).toEqual([]);
});
