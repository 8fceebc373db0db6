import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client, ClientScope, Operation } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import projects from "@scorel/projects";
import { expect, it } from "vitest";
import { z } from "zod";
import { contained } from "../../harness.ts";
import { ask, echoAgent, type TestHost, testHome, testHost } from "./home.ts";

declare module "@scorel/host/contract" {
  interface Operations {
    count_logs: { params: Record<string, never>; result: { logs: number } };
    peek: { params: { sessionId: string; at: string }; result: { events: number } };
  }
}

/** Operations of a host plugin: one reads all sessions, and one reads another session than its params name. */
const reader = definePlugin({
  id: "reader",
  name: "Reader",
  version: "1.0.0",
  scope: "host",
  operations: () => ({
    count_logs: {
      summary: "Counts the logs.",
      readOnly: true,
      params: z.strictObject({}),
      run: (_params, { logs, sessionsDir }) => ({ logs: logs.list(sessionsDir).length }),
    },
    peek: {
      summary: "Counts the events of another session.",
      readOnly: true,
      params: z.strictObject({ sessionId: z.string(), at: z.string() }),
      run: ({ at }, { look }) => look(at, ({ kernel }) => ({ events: kernel.session.tree.size })),
    },
  }),
});

/** Slash commands that work with operations. */
const caller = definePlugin({
  id: "caller",
  name: "Caller",
  version: "1.0.0",
  commands: () => ({
    stop: {
      operations: [],
      run: async (_args, { sessionId, request }) => String((await request("cancel", { sessionId })).cancelled),
    },
    read: {
      operations: [],
      run: async (args, { request }) => (await request("get_status", { sessionId: String(args) })).sessionId,
    },
  }),
});

const connect = ({ host }: TestHost, scope: ClientScope) => host.connect({ clientId: "limited", scope });

/** The code of an operation's error, or "done". */
async function answer(client: Client, operation: Operation, params: object): Promise<string> {
  const told = client.request(operation, params as never);
  return told.then(
    () => "done",
    (thrown) => thrown.code,
  );
}

/** Two sessions with one answered message each. */
async function twoSessions(t: TestHost, cwd: string): Promise<[string, string]> {
  const ids: string[] = [];
  for (const directory of [cwd, join(cwd, "other")]) {
    mkdirSync(directory, { recursive: true });
    const { sessionId } = await t.client.request("create_session", { cwd: directory });
    await ask(t.client, sessionId, "hello");
    ids.push(sessionId);
  }
  return ids as [string, string];
}

it("lets a client that may only read subscribe and read, and refuses the rest", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent, caller], [], [reader]);
  const [sessionId] = await twoSessions(t, home.cwd);
  const client = connect(t, { operations: "read" });
  const undo = await client.subscribe(sessionId, () => {});
  await undo();
  for (const operation of ["get_status", "get_events", "get_context", "get_queue", "list_commands"] as const)
    expect([operation, await answer(client, operation, { sessionId })]).toEqual([operation, "done"]);
  expect(await answer(client, "list_sessions", {})).toBe("done");
  expect(await answer(client, "count_logs", {})).toBe("done");
  const writing: [Operation, object][] = [
    ["send_message", { sessionId, content: "hi" }],
    ["cancel", { sessionId }],
    ["create_session", { cwd: home.cwd }],
    ["load_session", { sessionId, permission: "full" }],
    ["run_command", { sessionId, name: "stop", args: "" }],
  ];
  for (const [operation, params] of writing)
    expect([operation, await answer(client, operation, params)]).toEqual([operation, "HOST_FORBIDDEN"]);
  await expect(client.request("cancel", { sessionId })).rejects.toThrow(
    "This client may not stop a turn: its connection may only read. Whoever opens the connection decides what it allows.",
  );
});

it("exposes only a client's own members, which cannot be changed", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const limited = connect(t, { operations: "read" });
  expect(Object.keys(limited)).toEqual(["clientId", "request", "subscribe", "watchSessions", "drained", "close"]);
  const all = { access: (t.host.connect() as object as { access?: object }).access, clientId: "other" };
  expect(all.access).toBe(undefined);
  expect(() => Object.assign(limited, all)).toThrow(TypeError);
  expect(limited.clientId).toBe("limited");
  expect(await answer(limited, "cancel", { sessionId })).toBe("HOST_FORBIDDEN");
  expect(Object.keys(t.host)).not.toContain("sessions");
});

it("refuses operations that a slash command runs, when the scope does not name them", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent, caller]);
  const [sessionId] = await twoSessions(t, home.cwd);
  const client = connect(t, { operations: ["run_command"] });
  expect(await answer(client, "run_command", { sessionId, name: "stop", args: "" })).toBe("HOST_FORBIDDEN");
  await expect(client.subscribe(sessionId, () => {})).rejects.toMatchObject({ code: "HOST_FORBIDDEN" });
  const wider = connect(t, { operations: ["run_command", "cancel", "subscribe"] });
  expect(await wider.request("run_command", { sessionId, name: "stop", args: "" })).toEqual({ output: "false" });
  await (await wider.subscribe(sessionId, () => {}))();
});

it("keeps a client to its sessions: in params, in commands, in plugins, in lists and in subscriptions", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent, caller], [], [reader]);
  const [own, other] = await twoSessions(t, home.cwd);
  const client = connect(t, { sessions: [own] });
  expect(await ask(client, own, "again")).toBe("echo: again");
  expect((await client.request("list_sessions", {})).sessions.map(({ sessionId }) => sessionId)).toEqual([own]);
  const refused: [Operation, object][] = [
    ["get_status", { sessionId: other }],
    ["send_message", { sessionId: other, content: "hi" }],
    ["list_commands", { sessionId: other }],
    ["run_command", { sessionId: own, name: "read", args: other }],
    ["peek", { sessionId: own, at: other }],
    ["count_logs", {}],
    ["check_sessions", {}],
    ["create_session", { cwd: home.cwd }],
  ];
  for (const [operation, params] of refused)
    expect([operation, await answer(client, operation, params)]).toEqual([operation, "HOST_FORBIDDEN"]);
  await expect(client.subscribe(other, () => {})).rejects.toMatchObject({ code: "HOST_FORBIDDEN" });
  expect(await answer(client, "continue_session", { cwd: join(home.cwd, "other") })).toBe("SESSION_NONE");
  expect(await answer(client, "peek", { sessionId: own, at: own })).toBe("done");
  const copy = await client.request("clone_session", { sessionId: own });
  expect(await ask(client, copy.sessionId, "in the copy")).toBe("echo: in the copy");
});

it("keeps a client to the sessions of its projects, where it can also create some", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent], [], [projects]);
  const [own, other] = await twoSessions(t, home.cwd);
  const { projectId = "" } = (await t.client.request("get_status", { sessionId: own })).meta as { projectId?: string };
  const client = connect(t, { projects: [projectId] });
  expect((await client.request("list_sessions", {})).sessions.map(({ sessionId }) => sessionId)).toEqual([own]);
  expect(await answer(client, "get_events", { sessionId: own })).toBe("done");
  expect(await answer(client, "get_events", { sessionId: other })).toBe("HOST_FORBIDDEN");
  expect(await answer(client, "create_session", { cwd: join(home.cwd, "other") })).toBe("HOST_FORBIDDEN");
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  expect(await ask(client, sessionId, "new")).toBe("echo: new");
});

it("lets a limited client work only in known projects, and below home outside of hidden folders", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent], [], [projects]);
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "scorel-elsewhere-")));
  const [known, unknown] = [join(elsewhere, "known"), join(elsewhere, "unknown")];
  for (const folder of [known, unknown]) mkdirSync(folder);
  const inHome = [".scorel/host", ".ssh", ".config/autostart", "work/sub", "work/.git/hooks"].map((name) =>
    join(home.home, name),
  );
  for (const folder of inHome) mkdirSync(folder, { recursive: true });
  for (const [name, target] of Object.entries({ keys: ".ssh", host: ".scorel/host", out: unknown }))
    symlinkSync(target, join(home.home, name));
  try {
    for (const cwd of [known, home.home, "/"]) await t.client.request("create_session", { cwd });
    const client = connect(t, { operations: ["read", "create_session"] });
    const outcome = async (cwd: string) => [cwd, await answer(client, "create_session", { cwd })];
    const refused = ["/", "/etc", dirname(home.home), home.home, join(home.home, ".scorel"), unknown, elsewhere];
    const hidden = [".scorel/host", ".ssh", ".config/autostart", "work/.git/hooks", "keys", "host", "out", "work/.."];
    for (const cwd of [...refused, ...hidden.map((name) => join(home.home, name))])
      expect(await outcome(cwd)).toEqual([cwd, "HOST_FORBIDDEN"]);
    for (const cwd of [known, home.cwd, join(home.cwd, "sub")]) expect(await outcome(cwd)).toEqual([cwd, "done"]);
    expect(await answer(t.client, "create_session", { cwd: unknown })).toBe("done");
    expect(await outcome(unknown)).toEqual([unknown, "done"]);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

it("answers a limited client the same for paths that do not exist and for those that it may not name", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent], [], [projects]);
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "scorel-elsewhere-")));
  for (const name of [".ssh", ".config/app"]) mkdirSync(join(home.home, name), { recursive: true });
  symlinkSync(join(home.home, ".ssh"), join(home.cwd, "keys"));
  symlinkSync(join(home.home, ".none"), join(home.cwd, "nothing"));
  try {
    const client = connect(t, { operations: ["read", "create_session", "continue_session", "register_project"] });
    const told = (operation: Operation, params: object) =>
      client.request(operation, params as never).then(
        (result) => JSON.stringify(result),
        ({ message }) => message,
      );
    const pairs = [
      [elsewhere, `${elsewhere}-none`],
      [join(home.home, ".ssh"), join(home.home, ".none")],
      [join(home.home, ".config/app"), join(home.home, ".config/none")],
      [join(home.cwd, "keys"), join(home.cwd, "nothing")],
      ["/etc", "/none"],
      ["/etc/passwd", "/etc/passwd/none"],
    ] as const;
    for (const [there, missing] of pairs) {
      for (const [operation, key] of [
        ["create_session", "cwd"],
        ["register_project", "directory"],
        ["list_directories", "directory"],
        ["list_sessions", "cwd"],
        ["continue_session", "cwd"],
      ] as const) {
        const answers = await Promise.all([there, missing].map((path) => told(operation, { [key]: path })));
        expect([operation, answers[0]?.replaceAll(there, "it")]).toEqual([
          operation,
          answers[1]?.replaceAll(missing, "it"),
        ]);
      }
    }
    expect(await answer(client, "create_session", { cwd: join(home.cwd, "none") })).toBe("HOST_CWD_INVALID");
    expect(await answer(client, "list_directories", { directory: join(home.cwd, "none") })).toBe("PROJECT_DIRECTORY");
    expect(await answer(client, "register_project", { directory: elsewhere })).toBe("HOST_FORBIDDEN");
    expect(await answer(client, "register_project", { directory: home.cwd })).toBe("done");
    expect(await answer(t.client, "register_project", { directory: elsewhere })).toBe("done");
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

it("tells a client that is limited to certain sessions nothing of the ids of others", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent, caller], [], [reader]);
  const [own, other] = await twoSessions(t, home.cwd);
  const client = connect(t, { sessions: [own] });
  const told = (operation: Operation, params: object) =>
    client.request(operation, params as never).then(JSON.stringify, ({ message }) => message);
  for (const id of [other, other.slice(0, 6), "none", "", "../x"])
    for (const [operation, params] of [
      ["get_status", { sessionId: id }],
      ["list_commands", { sessionId: id }],
      ["list_sessions", { parent: id }],
      ["peek", { sessionId: own, at: id }],
    ] as const)
      expect([operation, id, await told(operation, params)]).toEqual([
        operation,
        id,
        expect.stringContaining(`its connection does not include session ${id}.`),
      ]);
  expect(await answer(client, "get_status", { sessionId: own })).toBe("done");
});

it("does not let a limited client widen what a session may do by options, unless its scope includes them", async () => {
  using home = testHome();
  const tones = definePlugin({
    id: "tones",
    name: "Tones",
    version: "1.0.0",
    scope: "host",
    sessionOptions: () => [{ key: "tone", kind: ["kind", "rude"], widens: ["rude"] }],
  });
  await using t = await testHost([echoAgent], [], [contained(tones)]);
  const [sessionId] = await twoSessions(t, home.cwd);
  await t.client.request("close_session", { sessionId });
  const operations = ["create_session", "load_session", "continue_session", "clone_session", "close_session"];
  const client = connect(t, { operations });
  const { cwd } = home;
  const wider = { permission: "full", allowWrite: [cwd], sandbox: "local", tone: "rude" };
  for (const [key, value] of Object.entries(wider)) {
    const opened: [Operation, object][] = [
      ["create_session", { cwd }],
      ["load_session", { sessionId }],
      ["continue_session", { cwd }],
      ["clone_session", { sessionId }],
    ];
    for (const [operation, params] of opened)
      expect([operation, await answer(client, operation, { ...params, [key]: value })]).toEqual([
        operation,
        "HOST_FORBIDDEN",
      ]);
  }
  await expect(client.request("create_session", { cwd, permission: "full" })).rejects.toThrow(
    'its connection does not include the option "permission" with the value "full", which may let the session do more',
  );
  expect(await answer(client, "create_session", { cwd, preset: "all" })).toBe("HOST_FORBIDDEN");
  const narrow = {
    permission: "plan",
    allowWrite: [],
    sandbox: "auto",
    tone: "kind",
    model: "test/m",
    tools: ["Read"],
  };
  expect(await answer(client, "create_session", { cwd, ...narrow })).toBe("done");
  const some = connect(t, { operations, options: ["permission"] });
  expect(await answer(some, "create_session", { cwd, permission: "full" })).toBe("done");
  expect(await answer(some, "create_session", { cwd, sandbox: "local" })).toBe("HOST_FORBIDDEN");
  expect(await answer(connect(t, { operations, options: "all" }), "create_session", { cwd, ...wider })).toBe("done");
  expect(await answer(connect(t, { options: [] }), "create_session", { cwd, ...wider })).toBe("HOST_FORBIDDEN");
  expect(await answer(connect(t, { sessions: [sessionId] }), "load_session", { sessionId, ...wider })).toBe("done");
});

it("is fixed when the connection is opened, and wrong ones are refused there", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent]);
  const [sessionId] = await twoSessions(t, home.cwd);
  const operations = ["get_status"];
  const client = connect(t, { operations });
  operations.push("cancel");
  expect(await answer(client, "cancel", { sessionId })).toBe("HOST_FORBIDDEN");
  const as = { sessionId, clientId: "someone", scope: { operations: "all" } };
  expect(await answer(client, "get_status", as)).toBe("HOST_PARAMS_INVALID");
  expect(() => connect(t, { operations: "write" } as never)).toThrow("The scope of a client is invalid: operations: ");
  expect(() => connect(t, { session: [sessionId] } as never)).toThrow('there is no "session" here');
});
