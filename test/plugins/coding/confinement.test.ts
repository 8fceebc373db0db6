import { existsSync } from "node:fs";
import { definePlugin } from "@scorel/kernel";
import sandbox from "@scorel/sandbox";
import type { SandboxJob, SandboxService } from "@scorel/sandbox/contract";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { testHome } from "../host/home.ts";
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

describe("a command whose sandbox cannot be removed", () => {
  const stuck = definePlugin({
    id: "sandbox",
    name: "Stand-in",
    version: "1.0.0",
    provides: ["sandbox"],
    activate(ctx) {
      const command = async ({ argv, env }: SandboxJob) => {
        const [file, ...args] = argv;
        const release = () => Promise.reject(new Error("it is busy"));
        return { executor: "local" as const, file, args, env: { ...env }, release };
      };
      ctx.provide("sandbox", { command } as unknown as SandboxService);
    },
  });
  const inStuck = () => workshop({ tools: { plugin: tools, config: { bash: { sandbox: true } } }, plugins: [stuck] });

  it("keeps its result, and the failure is reported", async () => {
    // Placeholders are recorded in the home.
    using _home = testHome();
    await using w = await inStuck();
    const failures: unknown[] = [];
    w.kernel.subscribe((event) => {
      if (event.type === "plugin_failure") failures.push(event);
    });
    expect(await said(w, "echo done")).toBe("done\n[exit code 0]");
    await w.kernel.drained();
    expect(failures).toEqual([
      expect.objectContaining({ where: "ending the sandbox of a command", message: "it is busy" }),
    ]);
  });

  it("ends in the background, too", async () => {
    // Placeholders are recorded in the home.
    using _home = testHome();
    await using w = await inStuck();
    const { details } = await w.call("Bash", { command: "echo done", background: true });
    const poll = (details as { background: string }).background;
    await eventually(async () => expect(await said(w, "", { command: undefined, poll })).toContain("[exit code 0]"));
  });
});
