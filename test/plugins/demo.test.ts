import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import type { Client, Delivered, HostService, Operations, SessionLogs } from "@scorel/host/contract";
import { afterEach, describe, expect, it } from "vitest";
import { runDemo } from "../../plugins/demo/demo.ts";
import { describeEvent } from "../../plugins/demo/event-text.ts";
import { makeRepository, type Repository } from "../../plugins/demo/repository.ts";
import { task } from "../../plugins/demo/task.ts";
import { jsonlLogs } from "../../plugins/logs/service.ts";
import { demoTask } from "../../plugins/model/offline/offline-demo.ts";

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

async function repository(env: Invocation["env"] = process.env): Promise<Repository> {
  const fresh = await makeRepository(env);
  made.push(fresh.path);
  return fresh;
}
function repair(path: string): void {
  const file = join(path, "src/cart.js");
  writeFileSync(file, readFileSync(file, "utf8").replace("let i = 1;", "let i = 0;"));
}
const withoutGit = { PATH: "/nowhere" };

it("the task is the one that the demo model solves", () => {
  expect(task).toBe(demoTask);
});

describe("the demo repository", () => {
  it("has one failing test, which the fix repairs", async () => {
    const { path, test } = await repository();
    const before = await test();
    expect([before.passed, /fail 1\b/.test(before.output)]).toEqual([false, true]);
    repair(path);
    expect((await test()).passed).toBe(true);
  });

  it("uses git, and shows what changed", async () => {
    const { path, withoutGit: reason, diff } = await repository();
    expect([reason, existsSync(join(path, ".git")), await diff()]).toEqual([undefined, true, ""]);
    repair(path);
    expect(await diff()).toMatch(/^diff --git .*\n- {2}for \(let i = 1;.*\n\+ {2}for \(let i = 0;/s);
  });

  it("works without git, says so, and still shows what changed", async () => {
    const { path, withoutGit: reason, diff } = await repository(withoutGit);
    expect([reason, existsSync(join(path, ".git")), await diff()]).toEqual(["git is not installed", false, ""]);
    repair(path);
    expect(await diff()).toBe(`--- a/src/cart.js
+++ b/src/cart.js
@@ -1,7 +1,7 @@
 /** The price of everything in a cart, in cents. */
 export function total(items) {
   let sum = 0;
-  for (let i = 1; i < items.length; i++) {
+  for (let i = 0; i < items.length; i++) {
     sum += items[i].price * items[i].count;
   }
   return sum;
`);
  });

  it("is not affected by the caller's git settings", async () => {
    const { withoutGit: reason } = await repository({
      ...process.env,
      GIT_DIR: "/nowhere",
      GIT_INDEX_FILE: "/nowhere/index",
    });
    expect(reason).toBeUndefined();
  });
});

const envelope = { seq: 1, sessionId: "s", clientId: "c", ts: 1 };
const message = (role: string): Delivered["event"] =>
  ({ ...envelope, type: "message", id: "e", parentId: null, message: { role } }) as never;
const card = (title: string, text: string): Delivered["display"] => ({ display: "card", title, status: "done", text });

describe("the printed line", () => {
  it.each<[string, Delivered, string | undefined]>([
    [
      "what the model says",
      { event: message("assistant"), display: { display: "bubble", role: "assistant", text: "I look." } },
      "I look.",
    ],
    [
      "a call when it starts",
      { event: { ...envelope, type: "tool_execution_start" }, display: card("Bash ls", "") },
      "  > Bash ls",
    ],
    ["a short result", { event: message("tool_result"), display: card("Grep x", "a.js:1:x") }, "    a.js:1:x\n"],
    [
      "a long result in short",
      { event: message("tool_result"), display: card("Read", "one\n\ntwo\nthree") },
      "    one (and 2 more lines)\n",
    ],
    [
      "a tool's own summary",
      { event: message("tool_result"), display: card("Grep x", "[1 match]\na.js\n1:x") },
      "    1 match\n",
    ],
    ["an empty result", { event: message("tool_result"), display: card("Bash true", "") }, "    (nothing)\n"],
    [
      "the counts of a test run",
      { event: message("tool_result"), display: card("Bash", "TAP\n# tests 3\n# pass 2\n# fail 1\n") },
      "    pass 2, fail 1\n",
    ],
    [
      "nothing of the user's own message",
      { event: message("user"), display: { display: "bubble", role: "user", text: "hi" } },
      undefined,
    ],
    ["nothing of deltas", { event: { ...envelope, type: "text_delta" }, display: { display: "hidden" } }, undefined],
  ])("says %s", (_what, delivered, line) => {
    expect(describeEvent(delivered)).toBe(line);
  });
});

/** Runs the demonstration on a host whose agent runs `work` in the repository. */
async function demo(work: (cwd: string, abort: AbortController) => void) {
  let out = "";
  const abort = new AbortController();
  const asked: string[] = [];
  let cwd = "";
  const answers: { [O in keyof Operations]?: (params: Operations[O]["params"]) => unknown } = {
    create_session: (params) => {
      cwd = params.cwd;
      made.push(cwd);
      return { sessionId: "session000000001" };
    },
    send_message: () => ({ status: "started", id: "m1" }),
    wait_turn: () => {
      work(cwd, abort);
      return { reason: "completed", text: "", stopReason: "stop" };
    },
    cancel: () => ({ cancelled: true }),
  };
  const client = {
    request: async (operation: keyof Operations, params: never) => {
      asked.push(operation);
      return answers[operation]?.(params);
    },
    subscribe: async () => async () => {},
    drained: async () => {},
    close: async () => void asked.push("close"),
  } as unknown as Client;
  const host: HostService = { connect: () => client };
  const logs: SessionLogs = {
    sessionsDir: "/home/me/.scorel/sessions",
    logs: jsonlLogs,
    lockFile: (sessionId) => `/home/me/.scorel/sessions/${sessionId}.lock`,
    locked: () => [],
  };
  const write = (text: string) => {
    out += text;
  };
  const stdout = { write } as unknown as NodeJS.WriteStream;
  const code = await runDemo(
    { stdout, interrupt: abort.signal, env: process.env } as unknown as Invocation,
    host,
    logs,
  );
  return { code, out, asked };
}

describe("the demo", () => {
  it("succeeds only when the tests pass, and shows the change, the log and how to continue", async () => {
    const { code, out, asked } = await demo(repair);
    expect([code, asked]).toEqual([0, ["create_session", "send_message", "wait_turn", "close"]]);
    expect(out).toContain("\n+  for (let i = 0; i < items.length; i++) {");
    expect(out).toContain("/home/me/.scorel/sessions/session000000001.jsonl");
    expect(out).toContain("scorel --preset coding");
  });

  it("does not rely on the model's claim of success", async () => {
    const { code, out } = await demo(() => {});
    expect([code, out.includes("The tests do not pass."), out.includes("scorel --preset coding")]).toEqual([
      1,
      true,
      false,
    ]);
  });

  it("is cancelled by an interrupt", async () => {
    const { code, asked } = await demo((_cwd, abort) => abort.abort());
    expect([code, asked]).toEqual([130, ["create_session", "send_message", "wait_turn", "cancel", "close"]]);
  });
});
