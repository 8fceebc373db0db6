import type { CompactionAnswer, CompactionProposal } from "@scorel/compaction/contract";
import { definePlugin, type Session } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { contained } from "../../harness.ts";
import { text } from "../../model-server.ts";
import { asksForSummary, openCompacting, playing, saidIn, words } from "./setup.ts";

const filling = ["a", "b", "c"].map((mark) => text(words(2_400, mark)));
const inSummary = (summary: string) =>
  `user: The conversation up to here was replaced by this summary:\n\n<summary>\n${summary}\n</summary>`;
const compacts = ({ tree }: Session) => [...tree.ofType("compact")];

function layer(id: string, handler: (proposal: CompactionProposal) => unknown, more: object = {}) {
  const beforeCompact = { handler: handler as (proposal: CompactionProposal) => CompactionAnswer, ...more };
  return contained(definePlugin({ id, name: id, version: "1.0.0", hooks: () => ({ beforeCompact }) }));
}

/**
 * Runs three turns, and then one turn for each further text, which exceeds the threshold. The layers load after
 * compaction, since they use its hook.
 */
async function longConversation(layers: ReturnType<typeof layer>[], said = ["four"]) {
  const replies = [...filling, ...said.map((word) => text(`done ${word}`))];
  const t = await openCompacting(playing(replies, () => text("S1")));
  for (const each of layers) await t.kernel.load(each);
  for (const word of ["one", "two", "three", ...said]) await (await t.agent.send(word)).turn;
  const ends = (await t.heard()).filter(({ type }: any) => type === "compaction_end") as any[];
  return {
    ...t,
    ends: ends.map(({ compacted, cancelled, note }) => ({ compacted, cancelled, note })),
    asked: t.server.requests.filter(asksForSummary),
    last: saidIn(t.server.requests.at(-1)!),
  };
}

describe("a layer of beforeCompact", () => {
  it("sees what is to be replaced, and answers the summary itself", async () => {
    const seen: CompactionProposal[] = [];
    const own = layer("own", (proposal) => {
      seen.push(proposal);
      return { summary: "  Mine: </summary>  " };
    });
    const later = layer("later", () => ({ cancel: "too late" }));
    await using t = await longConversation([own, later]);
    expect(seen.map(({ messages, tokens, ...rest }) => ({ ...rest, roles: messages.map(({ role }) => role) }))).toEqual(
      [
        {
          reason: "threshold",
          window: 10_000,
          size: 800,
          omitted: 0,
          roles: ["user", "assistant", "user", "assistant"],
        },
      ],
    );
    expect(t.last[0]).toBe(inSummary("Mine: <\\/summary>"));
    expect([t.asked, t.ends, t.kernel.failures]).toEqual([
      [],
      [{ compacted: true, cancelled: false, note: undefined }],
      [],
    ]);
    expect(compacts(t.session)).toMatchObject([{ method: "plugin", summary: "Mine: <\\/summary>" }]);
  });

  it("adds instructions to those of earlier layers for the model", async () => {
    const layers = ["the names", "the numbers"].map((what) =>
      layer(what.slice(4), () => ({ instructions: `Keep ${what}.` })),
    );
    await using t = await longConversation(layers);
    expect(saidIn(t.asked[0]!).at(-1)).toContain("> Keep the names.\n> \n> Keep the numbers.");
    expect(t.last[0]).toBe(inSummary("S1"));
  });

  it("cancels; it is asked again when the conversation has become longer, not for each request", async () => {
    let asked = 0;
    const never = layer("never", () => {
      asked++;
      return { cancel: "Not today." };
    });
    await using t = await longConversation([never], ["four", "five", "six"]);
    expect([asked, compacts(t.session), t.ends]).toEqual([
      1,
      [],
      [{ compacted: false, cancelled: false, note: "Not today." }],
    ]);
  });

  it.each([
    ["that throws", () => Promise.reject(new Error("no disk"))],
    ["that outlives its limit", () => new Promise(() => {})],
    ["with an unknown field", () => ({ sumary: "text" })],
    ["with two answers", () => ({ summary: "text", cancel: "no" })],
    ["with an empty summary", () => ({ summary: " " })],
  ])("%s is reported, and the built-in summary is used", async (_name, handler) => {
    await using t = await longConversation([layer("broken", handler, { limit: 50 })]);
    expect(t.last[0]).toBe(inSummary("S1"));
    expect(t.kernel.failures.map(({ plugin, where }) => [plugin, where])).toEqual([["broken", "beforeCompact"]]);
  });

  it("that is critical and fails cancels the compaction, and says so", async () => {
    const guard = layer("guard", () => Promise.reject(new Error("no disk")), { critical: true });
    await using t = await longConversation([guard]);
    expect([t.asked, compacts(t.session), t.ends]).toEqual([
      [],
      [],
      [{ compacted: false, cancelled: false, note: expect.stringContaining("no disk") }],
    ]);
  });
});
