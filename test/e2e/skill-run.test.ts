import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const confines = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
const executor = confines ? "bubblewrap" : "local";

it("a shipped skill's script runs, its file is kept, and a later process reads it", async () => {
  const run = {
    skill: "python-math",
    command: "python3 scripts/fib.py 10 > out/fib.txt",
    output_files: ["out/*.txt"],
    save_as_artifacts: true,
  };
  const replies = [
    toolCall("skill_load", { skill: "python-math" }),
    toolCall("skill_run", run),
    text("55 is not among them."),
    toolCall("Read", { file_path: "workspace://out/fib.txt" }),
    text("34 is the last."),
  ];
  await using server = await startModelServer(() => replies.shift() ?? text("Done."));
  using s = scratch();
  s.useModel(server.baseUrlFor("openai-completions"));
  const first = await s.run(["-p", "the first ten?", "--sandbox", executor]);
  expect(first).toMatchObject({ code: 0, stdout: "55 is not among them.\n", stderr: "" });
  const second = await s.run(["-p", "and the last?", "--continue", "--sandbox", executor]);
  expect(second).toMatchObject({ code: 0, stdout: "34 is the last.\n" });
  const told = server.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)));
  expect(told[2]).toContain('\\"exit_code\\":0');
  expect(told[2]).toContain('\\"artifact_files\\":[{\\"name\\":\\"out/fib.txt\\",\\"version\\":0}]');
  expect(told[4]).toContain("10\\t34");
  expect((await s.run(["artifact", "get", "out/fib.txt"])).stdout).toBe("0\n1\n1\n2\n3\n5\n8\n13\n21\n34\n");
  expect((await s.run(["artifact", "lineage", "out/fib.txt"])).stdout).toContain(`command: ${run.command}\n`);

  const replay = ["artifact", "replay", "out/fib.txt", "--sandbox", executor];
  expect(await s.run(replay)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^out\/fib\.txt@0: the same again \(exit code 0, 1 file\)\nsame: out\/fib\.txt \(sha256 [0-9a-f]{64}\)\n$/,
    ),
    stderr: "",
  });
});
