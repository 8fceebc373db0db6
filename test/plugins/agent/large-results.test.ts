import { describe, expect, it, vi } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

/** Returns the result of a tool as a model with a window of 8,000 tokens reads it. */
async function readOf(result: string, model: object = {}): Promise<string> {
  const rows = tool("rows", async () => says(result));
  const script = [toolCall("rows", {}), text("done")];
  await using a = await openAgent(script, { tools: [rows], model: { contextWindow: 8_000, ...model } });
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

  it("is cut after secrets were replaced, so that no part of one is left at its end", async () => {
    vi.stubEnv("TEST_KEY", "sk-test-0123456789");
    const read = await readOf(`${"r".repeat(20_790)}sk-test-0123456789${"r".repeat(50_000)}`, {
      apiKeyEnv: "TEST_KEY",
    });
    vi.unstubAllEnvs();
    expect(read.split("\n")[0]).toBe(`${"r".repeat(20_790)}[redacted]`);
  });

  it("that fits is read in full", async () => {
    expect(await readOf("r".repeat(20_800))).toBe("r".repeat(20_800));
  });
});
