import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { expect, it } from "vitest";
// @ts-expect-error plain JavaScript, part of the build
import { DeclarationsError, declarationsError } from "../../plugins/extensions/declarations/write.mjs";
// @ts-expect-error plain JavaScript, part of the build
import { describeFailures } from "../../presets/bundle/build-failures.mjs";

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

it("shows a mistake in the sources once, and without a stack trace", async () => {
  const stdin = { contents: "const x = ;", loader: "ts" as const };
  const mistake = await thrownBy(esbuild({ stdin, write: false, logLevel: "silent" }));
  const declarations = new DeclarationsError("The declarations cannot be made:\nindex.ts(1,11): error TS1109");
  expect(mistake).toBeInstanceOf(Error);
  expect(describeFailures([declarations, mistake])).toEqual([]);
  expect(describeFailures([declarations])).toEqual([declarations.message]);
  const vite = Object.assign(new Error("Build failed with 1 error:\nUnexpected token"), { errors: [{}] });
  expect(describeFailures([vite])).toEqual([vite.message]);
});

it.each([
  [
    "that has found mistakes",
    "console.log('index.ts(1,11): error TS1109'); process.exit(2)",
    "index.ts(1,11): error TS1109",
  ],
  ["that has failed itself", "throw new Error('no memory')", "Error: no memory"],
  ["that was killed", "process.kill(process.pid, 'SIGKILL')", "Command failed"],
])("shows what is known about a compiler %s", async (_what, script, reason) => {
  const { message } = declarationsError(await thrownBy(promisify(execFile)(process.execPath, ["-e", script])));
  expect(message).toContain("The declarations cannot be made:\n");
  expect(message).toContain(reason);
});

it("shows what is known about a compiler that cannot be started", async () => {
  const { message } = declarationsError(await thrownBy(promisify(execFile)("/no/such/node", [])));
  expect(message).toBe("The declarations cannot be made:\nspawn /no/such/node ENOENT");
});

it("shows every other failure with its stack trace", () => {
  expect(describeFailures([new Error("no space left")])).toEqual([
    expect.stringMatching(/no space left\n +at .*test\.ts/),
  ]);
});
