import { type AnyEvent, definePlugin, type HookCall } from "@scorel/kernel";
import { expect, it } from "vitest";
import { openSessions, runningCalls } from "../../../../plugins/extensions/containment/running.ts";
import { contained, testHeader, testKernel } from "../../../harness.ts";
import { notes } from "../../../kernel/notes.ts";

declare module "@scorel/kernel" {
  interface Hooks {
    knock(name: string): Promise<string> | string;
  }
  interface Services {
    knocker: { knock: HookCall<"knock"> };
  }
}

const base = { version: "1.0.0" };
const door = definePlugin({
  ...base,
  id: "door",
  name: "Door",
  provides: ["knocker"],
  activate: (ctx) => ctx.provide("knocker", { knock: ctx.defineHook("knock", "waterfall") }),
});
const { sessionId } = testHeader;

it("calls of an extension are recorded until they settle, with the latest last", async () => {
  const seen: unknown[] = [];
  const open: ((text: string) => void)[] = [];
  const waits = definePlugin({
    ...base,
    id: "waits",
    name: "Waits",
    hooks: () => ({ knock: () => new Promise<string>((resolve) => void open.push(resolve)) }),
  });
  const looks = definePlugin({
    ...base,
    id: "looks",
    name: "Looks",
    onEvent: ({ type }: AnyEvent) => void (type === "note" && seen.push(runningCalls())),
  });
  await using t = await testKernel([notes, door, contained(waits), contained(looks)]);
  expect(openSessions()).toEqual([sessionId]);
  const answer = t.kernel.find("knocker")?.knock("a");
  const waiting = { plugin: "waits", where: "knock", sessionId };
  expect(runningCalls()).toEqual([waiting]);
  await t.session.append("note", { text: "x" });
  await t.kernel.drained();
  expect(seen).toEqual([[waiting, { plugin: "looks", where: "onEvent note", sessionId }]]);
  open[0]?.("b");
  expect(await answer).toBe("b");
  expect(runningCalls()).toEqual([]);
  await t.kernel.stop();
  expect(openSessions()).toEqual([]);
});

it("a call that a built-in plugin makes in an extension's name is recorded, and one in a built-in's name is not", async () => {
  const caller = definePlugin({
    ...base,
    id: "caller",
    name: "Caller",
    needs: ["knocker"],
    onEvent: ({ type }: AnyEvent, ctx) => {
      if (type !== "note") return;
      const names = (plugin: string) => ctx.calls.run(plugin, "command /x", () => runningCalls());
      void ctx.session.append("aside", { text: JSON.stringify([names("own"), names("door")]) });
    },
  });
  const own = definePlugin({ ...base, id: "own", name: "Own" });
  await using t = await testKernel([notes, door, caller, contained(own)]);
  await t.session.append("note", { text: "x" });
  await t.kernel.drained();
  expect(JSON.parse((t.stored().at(-1) as unknown as { text: string }).text)).toEqual([
    [{ plugin: "own", where: "command /x", sessionId }],
    [],
  ]);
});
