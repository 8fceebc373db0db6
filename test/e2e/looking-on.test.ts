import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { type Script, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

/**
 * A host on a port, with a session with one turn. `attach` returns the arguments to join it with a token of a scope.
 */
async function stage(script: Script) {
  const s = scratch();
  const server = await startModelServer(script);
  s.useModel(server.baseUrl);
  expect((await s.run(["-p", "What is this?"])).code).toBe(0);
  const sessionId = basename(s.logs()[0] as string, ".jsonl");
  const host = s.start(["host", "serve", "--foreground", "--port", "0"]);
  const line = await host.line((each) => each.startsWith("web: "));
  const port = Number(/:(\d+) /.exec(line)?.[1]);
  const folder = join(s.home, ".scorel/host");
  const token = readFileSync(join(folder, "owner.token"), "utf8").trim();
  /** Runs an operation over HTTP with the owner's token. */
  const owner = async (operation: string, params: object = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/operations/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ sessionId, ...params }),
    });
    const body = (await response.json()) as any;
    if (!response.ok) throw new Error(JSON.stringify(body));
    return body;
  };
  return {
    ...{ s, owner, sessionId },
    attach: async (name: string, scope: string) => {
      expect((await s.run(["host", "token", "rotate", name, "--scope", scope])).code).toBe(0);
      const token = join(folder, `${name}.token`);
      return ["attach", sessionId, "--url", `ws://127.0.0.1:${port}`, "--token-file", token];
    },
    async [Symbol.asyncDispose]() {
      host.child.kill("SIGTERM");
      await host.finished;
      await server[Symbol.asyncDispose]();
      s[Symbol.dispose]();
    },
  };
}

const asking: Script = (_, index) =>
  index === 0 ? text("A shop.") : index === 1 ? toolCall("Bash", { command: "touch made" }) : text("It was made.");

describeWith("script", "a person whose token may only view", () => {
  it("watches in the terminal application, and keeps typed text", async () => {
    await using t = await stage(asking);
    await using viewer = fullScreen(t.s, await t.attach("viewer", "view"), { columns: 110, rows: 36 });
    await viewer.shows("You may read this session, but not write in it");
    await viewer.shows("A shop.");
    viewer.type("May I?\r");
    await viewer.shows("You may only read this session.");
    await viewer.shows(/> May I\?|May I\?/);
    await t.owner("set_permission", { mode: "ask" });
    const { stdout } = await t.s.run(["host", "status"]);
    expect(stdout).toContain("clients: viewer (ws, view), owner (http, away)\n");
    expect((await t.owner("attend_requests")).requests).toEqual([]);
    const { id } = await t.owner("send_message", { content: "Make it." });
    await viewer.shows("Waiting for somebody who may answer:");
    const [open] = (await t.owner("list_requests")).requests;
    await t.owner("answer_request", { requestId: open.requestId, answer: open.options[0].value });
    await t.owner("wait_turn", { id });
    await viewer.shows("It was made.");
    expect(viewer.screen.text()).toContain("May I?");
    viewer.type("\u0003");
    viewer.type("\u0003\u0003");
    expect(await viewer.code).toBe(0);
  });

  it("watches line by line, and keeps typed text", async () => {
    await using t = await stage(asking);
    await using viewer = terminal(t.s, [...(await t.attach("viewer", "view")), "--plain"]);
    await viewer.shows("You may read this session, but not write in it");
    await viewer.shows("A shop.");
    viewer.type("May I?\r");
    await viewer.shows("This was not sent: you may only read this session");
    await t.owner("set_permission", { mode: "ask" });
    await t.owner("attend_requests");
    const { id } = await t.owner("send_message", { content: "Make it." });
    await viewer.shows("(waiting for somebody who may answer: ");
    const [open] = (await t.owner("list_requests")).requests;
    await t.owner("answer_request", { requestId: open.requestId, answer: open.options[0].value });
    await t.owner("wait_turn", { id });
    await viewer.shows("It was made.");
    viewer.type("\u0003\u0003");
    expect(await viewer.code).toBe(0);
  });
});

describeWith("script", "a person whose token may view and prompt", () => {
  it("sends messages, and leaves questions to others", async () => {
    await using t = await stage((_, index) => text(index === 0 ? "A shop." : "Certainly."));
    await using guest = fullScreen(t.s, await t.attach("guest", "view,prompt"), { columns: 110, rows: 36 });
    await guest.shows("You may write in this session, but not answer its questions");
    guest.type("May I?\r");
    await guest.shows("Certainly.");
    await using plain = terminal(t.s, [...(await t.attach("guest2", "view,prompt")), "--plain"]);
    await plain.shows("You may write in this session, but not answer its questions");
    plain.type("And I?\r");
    await Promise.all([guest.shows("And I?"), plain.shows("Certainly.")]);
    plain.type("/exit\r");
    expect(await plain.code).toBe(0);
    guest.type("/exit\r");
    expect(await guest.code).toBe(0);
  });

  it("is also told, with piped input, that a token may only view", async () => {
    await using t = await stage(() => text("A shop."));
    const piped = await t.s.run(await t.attach("viewer", "view"), { input: "May I?\n" });
    expect([piped.code, piped.stderr]).toEqual([1, expect.stringContaining("you may only read this session")]);
  });
});
