import prompt from "@scorel/prompt";
import { describe, expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { extension, openAgent, says, tool } from "./setup.ts";

const systemOf = (request: { body: any } | undefined) => String(request?.body.messages[0].content);

describe("a layer of systemPrompt", () => {
  it("appends to the prompt of one request, while the log keeps the frozen prompt", async () => {
    let round = 0;
    const adding = extension("adding", {
      hooks: () => ({ systemPrompt: (words: string) => `${words}\n\nRound ${++round}.` }),
    });
    const look = tool("look", async () => says("seen"));
    await using t = await openAgent([toolCall("look", {}), text("ok")], { tools: [look], plugins: [prompt, adding] });
    await t.agent.prompt("go");
    const frozen = t.kernel.find("prompt")?.system();
    expect(t.server.requests.map(systemOf)).toEqual([`${frozen}\n\nRound 1.`, `${frozen}\n\nRound 2.`]);
    expect(JSON.stringify(t.stored())).not.toContain("Round 1");
  });

  it("that returns no text is skipped and reported", async () => {
    const broken = extension("broken", { hooks: () => ({ systemPrompt: () => 7 as never }) });
    await using t = await openAgent([text("ok")], { plugins: [prompt, broken] });
    await t.agent.prompt("go");
    expect(systemOf(t.server.requests[0])).toBe(t.kernel.find("prompt")?.system());
    expect(t.kernel.failures).toMatchObject([{ plugin: "broken", where: "systemPrompt" }]);
  });
});
