import { describe, expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

/** What a model with a window of 8,000 tokens reads as the result of a tool. */
async function readOf(result: string): Promise<string> {
  const rows = tool("rows", async () => says(result));
  const script = [toolCall("rows", {}), text("done")];
  await using a = await openAgent(script, { tools: [rows], model: { contextWindow: 8_000 } });
  await a.agent.prompt("go");
  const messages = a.server.requests.at(-1)?.body.messages as { role: string; content: unknown }[];
  const { content } = messages.find(({ role }) => role === "tool") as { content: unknown };
  return Array.isArray(content) ? content.map((part: { text: string }) => part.text).join("\n") : String(content);
}

describe("a tool's result", () => {
  it("that would fill the context window is cut, and says so", async () => {
    expect(await readOf("r".repeat(100_000))).toBe(
      `${"r".repeat(20_800)}\n[cut: 79,200 of its 100,000 characters are left out, since they would fill the context window; ask for less]`,
    );
  });

  it("that fits is read in full", async () => {
    expect(await readOf("r".repeat(20_800))).toBe("r".repeat(20_800));
  });
});
