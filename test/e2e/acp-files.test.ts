import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { editor } from "./acp-editor.ts";
import { type Running, records, type Scratch, scratch } from "./scorel.ts";

/** Starts a host in the background. */
async function served(s: Scratch): Promise<Running> {
  const host = s.start(["host", "serve", "--foreground"]);
  await host.line((line) => line.startsWith("socket: "));
  return host;
}

const lastContent = (request: { body: { messages: { content?: unknown }[] } } | undefined) =>
  JSON.stringify(request?.body.messages.at(-1)?.content);

it("text that is not saved in the editor is read, changed and saved there, and restored when the session is rewound", async () => {
  using s = scratch();
  s.file("cart.js", "let total = 1;\n");
  await using model = await startModelServer([
    toolCall("Read", { file_path: "cart.js" }),
    toolCall("Edit", { file_path: "cart.js", old_string: "total", new_string: "sum" }),
    text("Done."),
  ]);
  s.useModel(model.baseUrl);
  const path = join(s.project, "cart.js");
  const buffers = new Map([[path, "let total = 2; // typed\n"]]);
  await using e = await editor(s, { buffers });
  const session = await e.open();
  expect(await e.prompt(session, "rename it")).toEqual({ stopReason: "end_turn" });
  expect(lastContent(model.requests[1])).toContain("1\\tlet total = 2; // typed");
  expect(readFileSync(path, "utf8")).toBe("let sum = 2; // typed\n");
  expect(buffers.size).toBe(0);
  await e.agent.request("session/close", { sessionId: session });

  const said = records(s.logs()[0] as string).find(({ type }) => type === "message") as unknown as { id: string };
  const rewound = await s.run(["session", "rewind", session, said.id, "--files", "--yes"]);
  expect(rewound.stderr).toBe("");
  expect(readFileSync(path, "utf8")).toBe("let total = 2; // typed\n");
});

it("an edit of a text that the user has changed in the editor since it was read is refused", async () => {
  using s = scratch();
  s.file("cart.js", "let total = 1;\n");
  const path = join(s.project, "cart.js");
  const buffers = new Map<string, string>();
  await using model = await startModelServer((_request, index) => {
    if (index === 0) return toolCall("Read", { file_path: "cart.js" });
    if (index > 1) return text("Done.");
    buffers.set(path, "let total = 3;\n");
    return toolCall("Edit", { file_path: "cart.js", old_string: "1", new_string: "2" });
  });
  s.useModel(model.baseUrl);
  await using e = await editor(s, { buffers });
  await e.prompt(await e.open(), "go");
  expect(lastContent(model.requests[2])).toContain("changed");
  expect(buffers.get(path)).toBe("let total = 3;\n");
  expect(readFileSync(path, "utf8")).toBe("let total = 1;\n");
  expect(e.asked).toEqual([]);
});

it("a call that the user does not allow saves nothing", async () => {
  using s = scratch();
  s.file("cart.js", "let total = 1;\n");
  const path = join(s.project, "cart.js");
  const buffers = new Map([[path, "typed\n"]]);
  await using model = await startModelServer([
    [toolCall("Read", { file_path: "cart.js" })],
    [toolCall("Write", { file_path: "cart.js", content: "new\n" })],
    text("Done."),
  ]);
  s.useModel(model.baseUrl);
  await using e = await editor(s, { buffers, choose: () => "n" });
  await e.prompt(await e.open(), "go");
  expect(e.asked).toHaveLength(1);
  expect(readFileSync(path, "utf8")).toBe("let total = 1;\n");
  expect(buffers.get(path)).toBe("typed\n");
});

it("files have the names that the editor gives them, also in a session that was reloaded", async () => {
  using s = scratch();
  s.file("cart.js", "saved\n");
  const link = join(s.home, "linked");
  symlinkSync(s.project, link);
  const buffers = new Map([[join(link, "cart.js"), "typed\n"]]);
  await using model = await startModelServer([
    toolCall("Read", { file_path: "cart.js" }),
    text("Done."),
    toolCall("Read", { file_path: "cart.js" }),
    text("Done."),
  ]);
  s.useModel(model.baseUrl);
  await using e = await editor(s, { buffers });
  const session = await e.open(link);
  await e.prompt(session, "go");
  expect(lastContent(model.requests[1])).toContain("typed");
  await e.prompt(session, "/reload");
  await e.prompt(session, "go");
  expect(lastContent(model.requests[3])).toContain("typed");
});

it("a host in the background, also one that was restarted, reads the editor's unsaved text", async () => {
  using s = scratch();
  s.file("cart.js", "saved\n");
  await using model = await startModelServer([
    toolCall("Read", { file_path: "cart.js" }),
    text("Done."),
    toolCall("Read", { file_path: "cart.js" }),
    text("Done."),
  ]);
  s.useModel(model.baseUrl);
  const first = await served(s);
  await using e = await editor(s, { buffers: new Map([[join(s.project, "cart.js"), "typed\n"]]) });
  const session = await e.open();
  await e.prompt(session, "go");
  expect(lastContent(model.requests[1])).toContain("typed");
  process.kill(first.pid, "SIGTERM");
  await first.finished;
  await served(s);
  await e.prompt(session, "go");
  expect(lastContent(model.requests[3])).toContain("typed");
});
