import { existsSync } from "node:fs";
import sandbox from "@scorel/sandbox";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { textOf, type Workshop, workshop } from "./workshop.ts";

/** A project whose commands run in the sandbox. */
const confined = (bash: object = { sandbox: true }, executor?: string) => {
  const plugins = executor === undefined ? [sandbox] : [{ plugin: sandbox, config: { executor } }];
  return workshop({ tools: { plugin: tools, config: { bash } }, plugins });
};
const said = async (w: Workshop, command: string, more: object = {}) =>
  textOf(await w.call("Bash", { command, ...more }));

describe("commands without a sandbox that works", () => {
  it("do not run if a sandbox is required", async () => {
    await using w = await confined({ sandbox: true }, "podman");
    const result = await w.call("Bash", { command: "touch ran" });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("No sandbox works here")]);
    await using without = await workshop({ tools: { plugin: tools, config: { bash: { sandbox: true } } } });
    expect(await said(without, "touch ran")).toContain(
      "requires the plugin `sandbox`, which is not loaded, so nothing was run",
    );
    expect([existsSync(w.path("ran")), existsSync(without.path("ran"))]).toEqual([false, false]);
  });
});
