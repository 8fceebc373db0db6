import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientScope } from "@scorel/host/contract";
import type { OpenRequest } from "@scorel/requests/contract";
import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type Place, place } from "./place.ts";
import { desk } from "./session-desk.ts";

const EXTENSION = `
import { definePlugin } from "@scorel/kernel";
export default definePlugin({
  id: "mine", name: "Mine", version: "1.0.0",
  commands: () => ({
    careless: { run: () => "ran" },
    counting: { operations: ["get_events"], run: () => "counted" },
    guessing: { operations: ["get_events", "no_such_operation"], run: () => "guessed" },
    stopping: { operations: ["get_events", "cancel"], run: () => "stopped" },
    asking: { operations: [], run: async (_args, { sessionId, request }) => (await request("get_status", { sessionId })).sessionId },
  }),
});`;

/**
 * Opens a session with all plugins and an extension. Returns a function that runs slash commands as a client with a
 * scope.
 */
async function opened(p: Place, config = "") {
  p.file("~/.scorel/extensions/mine.ts", EXTENSION);
  p.file("~/.scorel/config.toml", config);
  const d = await desk(p, { preset: "all" });
  const { sessionId } = await d.client.request("create_session", { cwd: p.project });
  return {
    sessionId,
    request: d.client.request,
    connect: (scope: ClientScope) => d.another({ scope }),
    say: (scope: ClientScope, line: string) => {
      const [, name = "", args = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
      return d
        .another({ scope })
        .request("run_command", { sessionId, name, args })
        .then(
          ({ output }) => output ?? "done",
          (thrown) => thrown.code,
        );
    },
    [Symbol.asyncDispose]: () => d[Symbol.asyncDispose](),
  };
}

it("runs no slash command for a client that may only run commands, except those that do nothing without other operations", async () => {
  using p = place();
  await using s = await opened(p);
  const { commands } = await s.request("list_commands", { sessionId: s.sessionId });
  const ran: string[] = [];
  for (const { name, usage } of commands) {
    const words = (usage.match(/<[^>]+>/g) ?? []).map((each) => each.slice(1, -1).split("|")[0]);
    const answer = await s.say({ operations: ["run_command"] }, `${name} ${words.join(" ")}`);
    if (answer !== "HOST_FORBIDDEN") ran.push(`${name}: ${answer}`);
  }
  expect(ran.sort()).toEqual(["quit: done"]);
});

it("runs the slash commands that only read for clients that may only read, in the sessions that they may read", async () => {
  using p = place();
  await using s = await opened(p);
  const { sessionId } = s;
  const events = async () => (await s.request("get_events", { sessionId })).events;
  await s.request("run_command", { sessionId, name: "name", args: "Mine" });
  const before = await events();
  const { commands } = await s.request("list_commands", { sessionId });
  const outcomes = async (scope: ClientScope) => {
    const ran: string[] = [];
    for (const { name, usage } of commands) {
      const words = (usage.match(/<[^>]+>/g) ?? []).map((each) => each.slice(1, -1).split("|")[0]);
      if ((await s.say(scope, `${name} ${words.join(" ")}`)) !== "HOST_FORBIDDEN") ran.push(name);
    }
    return ran.sort();
  };
  const reading = ["agents", "asking", "context", "copy", "cost", "counting", "diff", "help", "model", "permission"];
  const all = [...reading, "queue", "quit", "resume", "status", "think", "tools", "tree"];
  const view: ClientScope = { operations: ["read"] };
  expect(await outcomes(view)).toEqual(all);
  expect(await outcomes({ operations: "read" })).toEqual(all);
  const prompting = await outcomes({ operations: ["read", "run_command", "send_message"] });
  expect(prompting.filter((name) => !name.startsWith("skill:"))).toEqual([...all, "init"].sort());
  expect(await outcomes({ operations: ["read"], sessions: [] })).toEqual([]);
  const changing = [
    "queue delete 1",
    "model test/m",
    "think high",
    "permission full",
    "permission forget Bash",
    "stopping",
  ];
  for (const line of [...changing, "guessing"])
    expect([line, await s.say(view, line)]).toEqual([
      line,
      line.startsWith("queue") ? "COMMAND_NOTHING" : "HOST_FORBIDDEN",
    ]);
  expect(await events()).toEqual(before);
  const listed = (scope: ClientScope) =>
    s
      .connect(scope)
      .request("list_operations", { sessionId })
      .then(({ operations }) => operations.find(({ name }) => name === "run_command")?.readOnly);
  expect([await listed(view), await listed({ operations: ["list_operations"] })]).toEqual([false, undefined]);
});

it("keeps stored keys and the user's rules from a client that is limited to one session", async () => {
  using p = place();
  await using s = await opened(p, '[permissions]\nallow = ["Bash(npm test)"]');
  const config = join(p.home, ".scorel/config.toml");
  const keys = join(p.home, ".scorel/auth.json");
  writeFileSync(keys, '{"openai":{"type":"api_key","key":"sk-1"}}', { mode: 0o600 });
  const before = [keys, config].map((path) => readFileSync(path, "utf8"));
  const scope = { sessions: [s.sessionId] };
  expect(await s.say(scope, "logout openai")).toBe("HOST_FORBIDDEN");
  expect(await s.say(scope, "permission forget Bash(npm test)")).toBe("HOST_FORBIDDEN");
  expect([keys, config].map((path) => readFileSync(path, "utf8"))).toEqual(before);
  expect(await s.say(scope, "permission plan")).toBe("done");
  expect(existsSync(join(p.home, ".scorel/projects"))).toBe(false);
});

it("lets a client that is limited to one session answer only for that session", async () => {
  using p = place();
  await using server = await startModelServer([toolCall("Bash", { command: "npm test" }), text("Done.")]);
  await using s = await opened(
    p,
    `[model]\ntype = "custom"\napi = "openai-completions"\nprovider = "local"\nid = "m1"\nbaseUrl = "${server.baseUrl}"\ncontextWindow = 8000\nmaxTokens = 1000\n`,
  );
  const { sessionId } = s;
  const limited = s.connect({ sessions: [sessionId] });
  await limited.request("attend_requests", { sessionId });
  const asked = new Promise<string>((resolve) => {
    void limited.subscribe(sessionId, ({ event }) => {
      const { type, requestId } = event as Partial<OpenRequest> & { type: string };
      if (type === "approval_request" && requestId) resolve(requestId);
    });
  });
  const { id } = await limited.request("send_message", { sessionId, content: "Test it." });
  const requestId = await asked;
  for (const answer of ["a", "e"])
    await expect(limited.request("answer_request", { sessionId, requestId, answer })).rejects.toMatchObject({
      code: "HOST_FORBIDDEN",
    });
  await limited.request("answer_request", { sessionId, requestId, answer: "s" });
  expect((await limited.request("wait_turn", { sessionId, id })).text).toBe("Done.");
  expect(existsSync(join(p.home, ".scorel/projects"))).toBe(false);
  expect(readFileSync(join(p.home, ".scorel/config.toml"), "utf8")).not.toContain("npm test");
});

it("lets a client that is limited to one session name only files of its project", async () => {
  using p = place();
  await using s = await opened(p);
  const { sessionId } = s;
  await s.request("run_command", { sessionId, name: "name", args: "Mine" });
  const limited = s.connect({ sessions: [sessionId] });
  symlinkSync(p.home, join(p.project, "out"));
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      ({ code }) => code,
    );
  const exported = (file: string) =>
    outcome(limited.request("export_session", { sessionId, format: "md", file, force: true }));
  const elsewhere = ["../b.md", "out/b.md", ".git/hooks/b.md", ".scorel/b.md", "~/.scorel/extensions/b.md"];
  for (const path of elsewhere)
    expect([path, await exported(path.startsWith("~") ? join(p.home, path.slice(2)) : join(p.project, path))]).toEqual([
      path,
      "HOST_FORBIDDEN",
    ]);
  expect(await exported(join(p.project, "a.md"))).toBe("done");
  for (const operation of ["read_skills", "preview_skills", "check_skills"] as const)
    expect(await outcome(limited.request(operation, { sessionId, path: p.home }))).toBe("HOST_FORBIDDEN");
  expect(await outcome(limited.request("read_skills", { sessionId, path: p.project }))).toBe("done");
  expect(await outcome(s.request("read_skills", { sessionId, path: p.home }))).toBe("done");
});

it("lets a client that may only read look for skills only in the session's project, outside of hidden folders", async () => {
  using p = place();
  await using s = await opened(p);
  const { sessionId } = s;
  await s.request("run_command", { sessionId, name: "name", args: "Mine" });
  p.file("sub/SKILL.md", "---\nname: sub\ndescription: Sub.\n---\n");
  p.file("~/.ssh/SKILL.md", "---\nname: keys\ndescription: Keys.\n---\n");
  p.file(".hidden/SKILL.md", "---\nname: hidden\ndescription: Hidden.\n---\n");
  symlinkSync(join(p.home, ".ssh"), join(p.project, "out"));
  symlinkSync(join(p.home, ".none"), join(p.project, "gone"));
  const outside = ["/", p.home, join(p.home, ".ssh"), join(p.home, ".none"), "/none"];
  const inProject = [".hidden", ".none", "out", "gone", "out/none", "../x", ".git"].map((name) =>
    join(p.project, name),
  );
  for (const scope of [{ operations: ["read"] }, { operations: ["read", "send_message"] }, { sessions: [sessionId] }]) {
    const client = s.connect(scope);
    for (const operation of ["read_skills", "preview_skills", "check_skills"] as const) {
      const outcome = (path: string) =>
        client.request(operation, { sessionId, path }).then(
          () => "done",
          ({ code }) => code,
        );
      for (const path of [...outside, ...inProject])
        expect([operation, path, await outcome(path)]).toEqual([operation, path, "HOST_FORBIDDEN"]);
      expect([operation, await outcome(join(p.project, "sub"))]).toEqual([operation, "done"]);
    }
  }
});

it("imports sessions only for clients that may do everything, since an import has none of the limits of a child", async () => {
  using p = place();
  await using s = await opened(p);
  const file = join(p.project, "child.jsonl");
  await s.request("export_session", { sessionId: s.sessionId, format: "jsonl", file });
  const outcome = (scope: ClientScope) =>
    s
      .connect(scope)
      .request("import_session", { file, cwd: p.project })
      .then(
        () => "done",
        ({ code }) => code,
      );
  expect([
    await outcome({}),
    await outcome({ operations: ["import_session", "create_session"] }),
    await outcome({ sessions: [s.sessionId] }),
  ]).toEqual(["TRANSFER_EMPTY", "HOST_FORBIDDEN", "HOST_FORBIDDEN"]);
});

it("runs an extension's command if the scope includes the operations that it says it stands for", async () => {
  using p = place();
  await using s = await opened(p);
  const answers = async (scope: ClientScope) => [
    await s.say(scope, "careless"),
    await s.say(scope, "counting"),
    await s.say(scope, "asking"),
  ];
  const no = "HOST_FORBIDDEN";
  expect(await answers({})).toEqual(["ran", "counted", s.sessionId]);
  expect(await answers({ operations: "all", options: [] })).toEqual(["ran", "counted", s.sessionId]);
  expect(await answers({ sessions: [s.sessionId] })).toEqual([no, "counted", s.sessionId]);
  expect(await answers({ operations: ["run_command", "get_events"] })).toEqual([no, "counted", no]);
  expect(await answers({ operations: ["run_command", "get_status"] })).toEqual([no, no, s.sessionId]);
  await expect(
    s
      .connect({ sessions: [s.sessionId] })
      .request("run_command", { sessionId: s.sessionId, name: "careless", args: "" }),
  ).rejects.toThrow("only clients that may use all operations in all sessions may run /careless");
});
