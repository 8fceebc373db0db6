import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { modelTable } from "../e2e/scorel.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { place } from "./place.ts";
import { desk } from "./session-desk.ts";

const redactor = `export default {
  id: "redactor", name: "Redactor", version: "1.0.0",
  hooks: () => ({
    beforeStore: {
      critical: true,
      handler: ({ message }) => {
        const content = JSON.parse(JSON.stringify(message.content).replaceAll("blue", "____"));
        if (JSON.stringify(content).includes("refused")) throw new Error("not this");
        return { content };
      },
    },
  }),
};`;

it("stores names of sessions and whole outputs as the layers of beforeStore want them", async () => {
  using at = place();
  await using server = await startModelServer((request) =>
    request.body.messages.at(-1).role === "tool"
      ? text("ok")
      : toolCall("Bash", { command: "seq 20000; echo blue; seq 20000" }),
  );
  at.file("~/.scorel/config.toml", modelTable(server.baseUrl));
  at.file("~/.scorel/extensions/redactor.ts", redactor);
  await using d = await desk(at, { preset: "coding" });
  const { sessionId } = await d.client.request("create_session", {
    cwd: at.project,
    name: "The blue plan",
    permission: "full",
    sandbox: "local",
  });
  const nameNow = async () =>
    (await d.client.request("list_sessions", {})).sessions.find((each) => each.sessionId === sessionId)?.name;
  expect(await nameNow()).toBe("The ____ plan");
  const { id } = await d.client.request("send_message", { sessionId, content: "Count." });
  expect((await d.client.request("wait_turn", { sessionId, id })).reason).toBe("completed");
  await d.client.request("rename_session", { sessionId, name: "Another blue plan" });
  expect(await nameNow()).toBe("Another ____ plan");
  const log = readFileSync(join(at.home, ".scorel/sessions", `${sessionId}.jsonl`), "utf8");
  expect([log.includes("The ____ plan"), log.includes("Another ____ plan")]).toEqual([true, true]);
  expect(log).not.toMatch(/blue plan/);
  const [, spill = ""] = /"spill":"([^"]+)"/.exec(log) ?? [];
  const lines = readFileSync(spill, "utf8").split("\n");
  expect([lines[20_000], lines.length]).toEqual(["____", 40_002]);
});

it("keeps no output and no name that a critical layer refuses", async () => {
  using at = place();
  await using server = await startModelServer((request) =>
    request.body.messages.at(-1).role === "tool"
      ? text("ok")
      : toolCall("Bash", { command: "seq 20000; echo refu''sed; seq 20000" }),
  );
  at.file("~/.scorel/config.toml", modelTable(server.baseUrl));
  at.file("~/.scorel/extensions/redactor.ts", redactor);
  await using d = await desk(at, { preset: "coding" });
  const created = { cwd: at.project, name: "A refused plan", permission: "full", sandbox: "local" } as const;
  const { sessionId, notices } = await d.client.request("create_session", created);
  expect(notices.map(({ code }) => code)).toContain("HOOK_CRITICAL");
  await expect(d.client.request("rename_session", { sessionId, name: "refused" })).rejects.toThrow("not this");
  const { id } = await d.client.request("send_message", { sessionId, content: "Count." });
  await d.client.request("wait_turn", { sessionId, id });
  const log = readFileSync(join(at.home, ".scorel/sessions", `${sessionId}.jsonl`), "utf8");
  expect(log).not.toMatch(/refused plan/);
  const [, spill = ""] = /"spill":"([^"]+)"/.exec(log) ?? [];
  expect(readFileSync(spill, "utf8")).toMatch(/^The output was not kept, .*not this\n$/);
});
