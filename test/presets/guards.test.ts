import { readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTrustService } from "../../presets/composition/trust.ts";
import { modelTable } from "../e2e/scorel.ts";
import { type ModelServer, startModelServer, text, toolCall } from "../model-server.ts";
import { askedIn } from "./asked.ts";
import { type Place, place } from "./place.ts";
import { desk } from "./session-desk.ts";

const guardFile = "~/.scorel/extensions/guard.ts";
const guard = (hooks: string, more = "") => `export default {
  id: "guard", name: "Guard", version: "1.0.0", needs: ["agent", "tools"],${more}
  hooks: () => ({ ${hooks} }),
};`;
const critical = "beforeToolCall: { critical: true, handler: () => undefined }";

const clock = `import { z } from "zod";
export default {
  id: "clock", name: "Clock", version: "1.0.0", needs: ["tools"],
  tools: () => [{
    name: "Clock", description: "Tells the time.", parameters: z.object({}), access: () => "read",
    execute: async () => "noon",
  }],
};`;

/** A model that calls the tool Clock once per turn. */
const callingClock = () =>
  startModelServer((request) => (request.body.messages.at(-1).role === "tool" ? text("ok") : toolCall("Clock", {})));

function files(at: Place, server: ModelServer): void {
  at.file("~/.scorel/config.toml", modelTable(server.baseUrl));
  at.file("~/.scorel/extensions/clock.ts", clock);
}

/** The result of the tool in a new session, and the notices of that session. */
async function tried(at: Place): Promise<{ result: string; codes: string[] }> {
  await using d = await desk(at);
  const { sessionId, notices } = await d.client.request("create_session", { cwd: at.project });
  const { id } = await d.client.request("send_message", { sessionId, content: "What time is it?" });
  await d.client.request("wait_turn", { sessionId, id });
  const { events } = await d.client.request("get_events", { sessionId });
  const result = JSON.stringify(events.filter(({ event }) => JSON.stringify(event).includes("tool_result")));
  return { result, codes: notices.map(({ code }) => code).sort() };
}

describe("a guard of an extension that cannot be loaded any more", () => {
  const denied = { result: expect.stringContaining('Extension \\"guard\\" guarded beforeToolCall when it last ran') };
  const ran = { result: expect.stringContaining("noon") };

  it.each([
    ["has a syntax error", (at: Place) => at.file(guardFile, "export default {{")],
    ["does not start", (at: Place) => at.file(guardFile, guard(`${critical}, beforeToolCal: () => {}`))],
    ["needs what is not there", (at: Place) => at.file(guardFile, guard(critical).replace('"tools"', '"tolls"'))],
    ["is gone", (at: Place) => rmSync(join(at.home, guardFile.slice(2)))],
    ["changed while a tool ran", (at: Place) => toolRan(at, at.file(guardFile, guard(critical), "// changed"))],
  ])("denies what it guarded if it %s, until that is mended or forgotten", async (_why, spoil) => {
    using at = place();
    await using server = await callingClock();
    files(at, server);
    at.file(guardFile, guard(critical));
    expect(await tried(at)).toMatchObject(ran);
    spoil(at);
    const first = await tried(at);
    expect(first).toMatchObject(denied);
    expect(first.codes).toContain("EXTENSION_GUARD");
    expect(await tried(at)).toMatchObject(denied);
    const trust = createTrustService(askedIn(at.project).asked);
    expect([await trust.forget("guard"), await trust.forget("guard")]).toEqual([true, false]);
    expect(await tried(at)).toMatchObject(ran);
  });

  it("denies nothing if the user has switched it off, which forgets it", async () => {
    using at = place();
    await using server = await callingClock();
    files(at, server);
    at.file(guardFile, guard(critical));
    await tried(at);
    at.file(guardFile, "export default {{");
    at.file("~/.scorel/config.toml", 'without = ["guard"]', modelTable(server.baseUrl));
    expect(await tried(at)).toMatchObject({ ...ran, codes: [] });
    at.file("~/.scorel/config.toml", modelTable(server.baseUrl));
    expect(await tried(at)).toMatchObject({ ...ran, codes: ["EXTENSION_LOAD"] });
  });

  it("is recorded again as it was last loaded, and not at all if it guards nothing", async () => {
    using at = place();
    await using server = await callingClock();
    files(at, server);
    const recorded = () =>
      Object.values(JSON.parse(readFileSync(join(at.home, ".scorel/trust.json"), "utf8")).guards ?? {}).map(
        (each) => (each as { hooks: string[] }).hooks,
      );
    at.file(guardFile, guard(`${critical}, transformContext: { critical: true, handler: () => undefined }`));
    await tried(at);
    expect(recorded()).toEqual([["beforeToolCall", "transformContext"]]);
    at.file(guardFile, guard(critical));
    await tried(at);
    expect(recorded()).toEqual([["beforeToolCall"]]);
    at.file(guardFile, guard("beforeToolCall: () => undefined"));
    await tried(at);
    expect(recorded()).toEqual([]);
    at.file(guardFile, "export default {{");
    expect(await tried(at)).toMatchObject(ran);
  });
});

/** Writes the log of a session in which a tool ran while a file was changed. */
function toolRan(at: Place, file: string): void {
  const { ctimeMs } = statSync(file);
  const line = (ts: number, message: object) => `${JSON.stringify({ type: "message", id: `e${ts}`, ts, message })}\n`;
  const call = { role: "assistant", content: [{ type: "toolCall", id: "a", name: "Bash", arguments: {} }] };
  const result = { role: "tool_result", toolCallId: "a", content: [] };
  const log = join(dirname(dirname(file)), "sessions/S1.jsonl").replace(at.home, "~");
  at.file(log, line(ctimeMs - 200, call) + line(ctimeMs + 200, result));
}
