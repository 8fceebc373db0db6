import { definePlugin } from "@scorel/kernel";
import type { ProcessesService } from "@scorel/local/contract";
import { expect, it } from "vitest";
import { textOf, workshop } from "./workshop.ts";

/** A plugin that changes how commands are started on this computer. */
const wrapping = (start: (own: ProcessesService) => ProcessesService["start"]) =>
  definePlugin({
    id: "line",
    name: "Line",
    version: "1.0.0",
    needs: [],
    serviceWrappers: () => ({ processes: (own) => ({ start: start(own) }) }),
  });

it("a command of which nothing more is heard is an error with its output so far", async () => {
  const dies = wrapping((own) => async (request) => {
    const started = await own.start(request);
    const lost = started.ended.then(() => Promise.reject(new Error("the line is dead")));
    return { ended: lost, kill: () => started.kill(), pause() {}, resume() {} };
  });
  await using w = await workshop({ plugins: [dies] });
  const { isError, ...result } = await w.call("Bash", { command: "echo before" });
  expect([isError, textOf(result)]).toEqual([
    true,
    "before\n[connection lost; its outcome is unknown: the line is dead]",
  ]);
});

it("a start that fails is an error that says why, and does not claim that nothing ran", async () => {
  const fails = wrapping(() => () => Promise.reject(new Error("the line is dead")));
  await using w = await workshop({ plugins: [fails] });
  const { isError, ...result } = await w.call("Bash", { command: "true" });
  expect([isError, textOf(result)]).toEqual([true, `Plugin "line" failed in processes.start: the line is dead`]);
});
