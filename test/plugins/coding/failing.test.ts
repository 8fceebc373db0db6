import type { ToolCallInput } from "@scorel/agent/contract";
import type { BaseContext } from "@scorel/kernel";
import { expect, it, vi } from "vitest";
import type { Environment } from "../../../plugins/coding/environment.ts";
import { locate } from "../../../plugins/coding/files/paths.ts";
import { failureOf } from "../../../plugins/coding/guard/failing.ts";
import { workshop } from "./workshop.ts";

it("each file of a reply is located a few times, however many calls of Write it has", async () => {
  await using w = await workshop();
  const files = w.kernel.find("files") as Environment["files"];
  const env = { files, workspace: { cwd: w.dir, home: w.home }, coverage: () => undefined } as unknown as Environment;
  const find = (name: string) => w.kernel.find(name as "tools");
  const ctx = { plugin: "coding", find } as unknown as BaseContext;
  const readsFor = async (count: number) => {
    const write = (n: number, file_path: string) => ({
      type: "toolCall" as const,
      id: `c${n}`,
      name: "Write",
      arguments: { file_path, content: "x" },
    });
    const content = Array.from({ length: count }, (_, n) => write(n, `new${n}-${count}.txt`));
    const last = write(count, `./new0-${count}.txt`);
    const assistantMessage = { content: [...content, last] } as unknown as ToolCallInput["assistantMessage"];
    const failure = async (toolCall: typeof last) => {
      const call = { assistantMessage, toolCall, args: toolCall.arguments } as unknown as ToolCallInput;
      return failureOf(call, await locate(toolCall.arguments.file_path, env), { env, ctx });
    };
    const located = vi.spyOn(files, "realpath");
    for (const toolCall of content) expect(await failure(toolCall)).toBeUndefined();
    const reads = located.mock.calls.length;
    located.mockRestore();
    w.file(`new0-${count}.txt`, "not read before");
    // An earlier call names the same file, so nothing is reported about it.
    expect(await failure(last)).toBeUndefined();
    expect(await failure(content[0] as typeof last)).toMatchObject({ code: "WRITE_UNREAD" });
    return reads;
  };
  const [few, many] = [await readsFor(20), await readsFor(80)];
  expect(many / few).toBeLessThan(5);
});
