import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { delayUntil, gate, hang, startModelServer, text, toolCall, usage } from "../model-server.ts";
import { editor } from "./acp-editor.ts";
import { modelTable, type Running, type Scratch, scratch } from "./scorel.ts";

const program = fileURLToPath(new URL("../fixtures/mcp-tools.mjs", import.meta.url));

/** Starts a host in the background. */
async function served(s: Scratch): Promise<Running> {
  const host = s.start(["host", "serve", "--foreground"]);
  await host.line((line) => line.startsWith("socket: "));
  return host;
}

it("a host in the background has the editor's sessions, and a prompt waits while the host is replaced", async () => {
  using s = scratch();
  await using model = await startModelServer([
    toolCall("Bash", { command: "touch a.txt" }),
    text("Done."),
    text("Later."),
  ]);
  s.useModel(model.baseUrl);
  const host = await served(s);
  await using e = await editor(s, { can: { session: { notices: {} } } });
  const session = await e.open();
  expect(await e.prompt(session, "go")).toEqual({ stopReason: "end_turn" });
  expect([e.said(session), existsSync(join(s.project, "a.txt")), e.asked.length]).toEqual(["Done.", true, 1]);
  process.kill(host.pid, "SIGTERM");
  await host.finished;
  await e.update((update) => update.sessionUpdate === "notice" && /host/.test(update.title));
  const answered = e.prompt(session, "and now?");
  await served(s);
  expect(await answered).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toBe("Done.Later.");
});

it("a prompt whose host was killed can be cancelled, and earlier text is not sent again", async () => {
  using s = scratch();
  await using model = await startModelServer([[text("Half an ans"), hang()], text("Whole.")]);
  s.useModel(model.baseUrl);
  const host = await served(s);
  await using e = await editor(s, { can: { session: { notices: {} } } });
  const session = await e.open();
  const answered = e.prompt(session, "go");
  await e.update((update) => update.sessionUpdate === "agent_message_chunk");
  process.kill(host.pid, "SIGKILL");
  await host.finished;
  await e.update((update) => update.sessionUpdate === "notice" && /host/.test(update.title));
  await e.agent.notify("session/cancel", { sessionId: session });
  expect(await answered).toEqual({ stopReason: "cancelled" });
  await served(s);
  expect(await e.prompt(session, "again")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toBe("Half an ansWhole.");
});

it("a prompt and a command that wait for their host can be cancelled, and do nothing when it is back", async () => {
  using s = scratch();
  await using model = await startModelServer(({ body }) =>
    /hello|again/.test(JSON.stringify(body.messages.at(-1))) ? [text("Hi.")] : [hang()],
  );
  s.useModel(model.baseUrl);
  const host = await served(s);
  await using e = await editor(s, { can: { session: { notices: {}, compaction: {} } } });
  const session = await e.open();
  await e.prompt(session, "hello");
  process.kill(host.pid, "SIGKILL");
  await host.finished;
  await e.update((update) => update.sessionUpdate === "notice" && /host/.test(update.title));
  for (const prompt of ["go", "/compact"]) {
    const answered = e.prompt(session, prompt);
    await e.agent.notify("session/cancel", { sessionId: session });
    expect(await answered).toEqual({ stopReason: "cancelled" });
  }
  await served(s);
  expect(await e.prompt(session, "again")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toBe("Hi.Hi.");
  expect(e.updates.filter(({ update }) => update.sessionUpdate === "compaction_update")).toEqual([]);
});

it("an editor whose host was killed can end the agent", async () => {
  using s = scratch();
  s.useModel("http://127.0.0.1:9/v1");
  const host = await served(s);
  const e = await editor(s, { can: { session: { notices: {} } } });
  await e.open();
  process.kill(host.pid, "SIGKILL");
  await host.finished;
  await e.update((update) => update.sessionUpdate === "notice" && /host/.test(update.title));
  expect((await e.leave()).code).toBe(0);
});

it.each(["session/cancel", "$/cancel_request"])("%s ends a long-running slash command", async (way) => {
  using s = scratch();
  const long = "word ".repeat(3_000);
  await using model = await startModelServer(({ body }) =>
    JSON.stringify(body.messages).includes("ummar") ? hang() : [text(long), usage({ input: 9_000, output: 3_000 })],
  );
  s.useModel(model.baseUrl);
  await using e = await editor(s, { can: { session: { compaction: {} } } });
  const sessionId = await e.open();
  for (const prompt of ["one", "two", "three"]) await e.prompt(sessionId, prompt);
  const cancel = new AbortController();
  const prompt = [{ type: "text" as const, text: "/compact" }];
  const answered = e.agent
    .request("session/prompt", { sessionId, prompt }, { cancellationSignal: cancel.signal })
    .catch((error: Error) => error.message);
  await e.update((update) => update.sessionUpdate === "compaction_update" && update.status === "in_progress");
  if (way === "session/cancel") await e.agent.notify("session/cancel", { sessionId });
  else cancel.abort();
  expect(await answered).toBeDefined();
  await e.update((update) => update.sessionUpdate === "compaction_update" && update.status === "cancelled");
});

it.each(["session/cancel", "$/cancel_request"])(
  "%s of a slash command leaves the turn that another editor has begun in the session alone",
  async (way) => {
    using s = scratch();
    const answer = gate();
    await using model = await startModelServer([
      text("Hi. "),
      [text("Begun, "), delayUntil(answer.promise), text("done.")],
    ]);
    const called = join(s.project, "called");
    const server = `[[mcp.servers]]
name = "test"
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([program, "--only=never", "--extras"])}
env = { CALLED = ${JSON.stringify(called)} }
`;
    s.file("~/.scorel/config.toml", `${modelTable(model.baseUrl)}\n${server}`);
    await served(s);
    await using own = await editor(s);
    await using other = await editor(s);
    const sessionId = await own.open();
    await own.prompt(sessionId, "hello");
    await other.agent.request("session/load", { sessionId, cwd: s.project, mcpServers: [] });
    const others = other.prompt(sessionId, "go");
    await expect.poll(() => other.said(sessionId)).toBe("Hi. Begun, ");
    const cancel = new AbortController();
    const prompt = [{ type: "text" as const, text: "/mcp__test__review never" }];
    const answered = own.agent
      .request("session/prompt", { sessionId, prompt }, { cancellationSignal: cancel.signal })
      .catch((error: Error) => error.message);
    await expect.poll(() => existsSync(called)).toBe(true);
    if (way === "session/cancel") await own.agent.notify("session/cancel", { sessionId });
    else cancel.abort();
    expect(await answered).toBeDefined();
    answer.open();
    expect([await others, other.said(sessionId)]).toEqual([{ stopReason: "end_turn" }, "Hi. Begun, done."]);
  },
);

it("SIGTERM ends the turns of the editor and the command", async () => {
  using s = scratch();
  await using model = await startModelServer([[text("Begun"), hang()]]);
  s.useModel(model.baseUrl);
  const e = await editor(s);
  const session = await e.open();
  const answered = e.prompt(session, "go");
  await e.update((update) => update.sessionUpdate === "agent_message_chunk");
  process.kill(e.pid, "SIGTERM");
  expect([(await e.ended).code, await answered]).toEqual([143, { stopReason: "cancelled" }]);
  expect(await model.requests[0]?.over).toBe("gone");
});
