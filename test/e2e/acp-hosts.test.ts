import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hang, startModelServer, text, toolCall, usage } from "../model-server.ts";
import { editor } from "./acp-editor.ts";
import { type Running, type Scratch, scratch } from "./scorel.ts";

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

it("session/cancel ends a long-running slash command", async () => {
  using s = scratch();
  const long = "word ".repeat(3_000);
  await using model = await startModelServer(({ body }) =>
    JSON.stringify(body.messages).includes("ummar") ? hang() : [text(long), usage({ input: 9_000, output: 3_000 })],
  );
  s.useModel(model.baseUrl);
  await using e = await editor(s, { can: { session: { compaction: {} } } });
  const session = await e.open();
  for (const prompt of ["one", "two", "three"]) await e.prompt(session, prompt);
  const answered = e.prompt(session, "/compact").catch((error: Error) => error.message);
  await e.update((update) => update.sessionUpdate === "compaction_update" && update.status === "in_progress");
  await e.agent.notify("session/cancel", { sessionId: session });
  expect(await answered).toBeDefined();
  await e.update((update) => update.sessionUpdate === "compaction_update" && update.status === "cancelled");
});

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
