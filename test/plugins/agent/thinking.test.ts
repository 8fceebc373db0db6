import { describe, expect, it } from "vitest";
import { text } from "../../model-server.ts";
import { openAgent } from "./setup.ts";

/** Opens an agent whose session was started with a thinking level, and sends two prompts. Returns the warnings. */
async function warningsOf(thinking: string, reasoning: boolean): Promise<string[]> {
  const warnings: string[] = [];
  const quiet = () => {};
  const logger = { debug: quiet, info: quiet, warn: (line: string) => void warnings.push(line), error: quiet };
  const workspace = { cwd: "/", thinking } as never;
  const kernel = { logger, services: { workspace } };
  await using a = await openAgent([text("hello"), text("bye")], { kernel, model: { reasoning } });
  await a.agent.prompt("hi");
  await a.agent.prompt("bye");
  return warnings;
}

describe("a thinking level", () => {
  it("is reported once if the model does not think", async () => {
    expect(await warningsOf("high", false)).toEqual([
      'Plugin "agent": The thinking level high has no effect: local/m1 does not think, or its entry in the configuration lacks `reasoning = true`.',
    ]);
  });

  it("is not reported if the model thinks, or if the level is off", async () => {
    expect([await warningsOf("high", true), await warningsOf("off", false)]).toEqual([[], []]);
  });
});
