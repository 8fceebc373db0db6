import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import sandbox from "@scorel/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { coverExecutor } from "../executors.ts";
import { testHeader } from "../harness.ts";
import { secondProcess } from "../second-process.ts";
import { type Engine, type EngineName, engineProblem, IMAGE, startEngine } from "./container-engine.ts";

/**
 * Tests an engine with the contract of all executors, and checks what remains when a process is killed. `adds` are the
 * variables that it adds to the environment.
 */
export function coverEngine(executor: EngineName, adds: Record<string, string>): void {
  coverExecutor(
    { executor, confines: true, adds: () => adds, config: { image: IMAGE } },
    engineProblem(executor),
    () => {
      const script = new URL("sandbox-host.ts", import.meta.url);
      const folder = mkdtempSync(join(realpathSync(tmpdir()), "scorel-containers-"));
      let engine: Engine;
      beforeAll(async () => {
        engine = await startEngine(executor);
      }, 120_000);
      afterAll(async () => {
        await engine[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true });
      }, 60_000);

      it("keeps the containers of running processes, and removes what a killed process left", async () => {
        const names = () => execFileSync(executor, ["ps", "--all", "--quiet"], { encoding: "utf8" }).trim().split("\n");
        const anotherStarts = async () => {
          const config = { executor, image: IMAGE };
          const kernel = await createKernel({
            entries: [{ plugin: sandbox, origin: "test", config }],
            store: createMemoryStore(testHeader),
          });
          expect(await kernel.find("sandbox")?.executor()).toBe(executor);
          await kernel.stop();
        };
        expect(names()).toEqual([""]);
        await using host = await secondProcess(script, folder, [executor, IMAGE, folder]);
        expect(await host.line()).toBe("up");
        const one = [expect.stringMatching(/^\w+$/)];
        await anotherStarts();
        expect(names()).toEqual(one);
        await host.kill();
        expect(names()).toEqual(one);
        await anotherStarts();
        expect(names()).toEqual([""]);
      });
    },
  );
}
