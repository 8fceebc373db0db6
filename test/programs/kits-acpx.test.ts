import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { modelTable, scratch } from "../e2e/scorel.ts";
import { type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { inKits, newerNode } from "./kits/kits.ts";

const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

/** A project in which acpx, a command that controls agents over ACP, controls `scorel acp`. */
async function driven(replies: Reply[]) {
  const s = scratch();
  const model = await startModelServer(replies);
  s.file("~/.scorel/config.toml", modelTable(model.baseUrl));
  const agent = `${process.execPath} ${bin} acp`;
  const base = [inKits("acpx/dist/cli.js"), "--agent", agent, "--cwd", s.project];
  const acpx = (...args: string[]) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const env = { ...process.env, HOME: s.home };
      execFile(newerNode, [...base, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });
  return {
    ...{ s, model, acpx },
    async [Symbol.asyncDispose]() {
      s[Symbol.dispose]();
      await model.close();
    },
  };
}

const write = (name: string) => toolCall("Write", { file_path: name, content: "one\n" });

itWith("kits", "acpx has a file written, which it is asked about and saves itself", async () => {
  await using t = await driven([[write("a.txt")], [text("Written.")], [write("b.txt")], [text("I may not.")]]);
  expect(await t.acpx("--approve-all", "exec", "Write it.")).toMatchObject({
    code: 0,
    output: expect.stringContaining("Written."),
  });
  expect(readFileSync(join(t.s.project, "a.txt"), "utf8")).toBe("one\n");
  const denied = await t.acpx("--deny-all", "--format", "json", "exec", "Write it again.");
  expect(denied.output).toContain("I may not.");
  const frames = denied.output.split("\n").filter((line) => line.startsWith("{"));
  expect(frames.map((line) => JSON.parse(line).method)).toContain("session/request_permission");
  expect(existsSync(join(t.s.project, "b.txt"))).toBe(false);
});

itWith("kits", "acpx keeps a session over several prompts, and chooses its mode", async () => {
  await using t = await driven([text("First."), text("Second."), [write("a.txt")], [text("The mode is plan.")]]);
  expect((await t.acpx("sessions", "new")).code).toBe(0);
  try {
    expect((await t.acpx("prompt", "One.")).output).toContain("First.");
    expect((await t.acpx("prompt", "Two.")).output).toContain("Second.");
    expect((await t.acpx("set-mode", "plan")).output).toContain("plan");
    expect((await t.acpx("--approve-all", "prompt", "Write it.")).output).toContain("The mode is plan.");
  } finally {
    expect((await t.acpx("sessions", "close")).code).toBe(0);
  }
  expect(existsSync(join(t.s.project, "a.txt"))).toBe(false);
  const said = JSON.stringify(t.model.requests.at(-1)?.body.messages);
  expect(["One.", "Two.", "Write it."].map((words) => said.includes(words))).toEqual([true, true, true]);
});
