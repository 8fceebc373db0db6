import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startInBackground } from "../../../plugins/daemon/background.ts";
import { eventually } from "../../eventually.ts";
import { testHome } from "../host/home.ts";

it("a host that is not ready in time is ended, so that none runs of which nobody knows", async () => {
  using scratch = testHome();
  const before = process.argv[1] as string;
  onTestFinished(() => {
    process.argv[1] = before;
  });
  const script = join(scratch.home, "slow.cjs");
  writeFileSync(script, "console.log('process', process.pid, 'waits'); setInterval(() => {}, 1_000);");
  process.argv[1] = script;
  const failed = startInBackground({ env: process.env }, [], 2_000);
  const { message } = (await failed.catch((thrown) => thrown)) as Error;
  expect(message).toMatch(/^The host did not start:\nprocess \d+ waits\nIt was not ready after 2 s, and was ended\.\n/);
  const pid = Number(/process (\d+)/.exec(message)?.[1]);
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
});
