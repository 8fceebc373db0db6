import { build as esbuild } from "esbuild";
import { expect, it } from "vitest";
// @ts-expect-error plain JavaScript, part of the build
import { DeclarationsError } from "../../plugins/extensions/declarations/write.mjs";
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

it("shows every other failure with its stack trace", () => {
  expect(describeFailures([new Error("no space left")])).toEqual([
    expect.stringMatching(/no space left\n +at .*test\.ts/),
  ]);
});
