import type { Services } from "@scorel/kernel";
import prompt from "@scorel/prompt";
import type {} from "@scorel/prompt/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testHeader, testKernel } from "../harness.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** The prompt of a session in this directory, asked for `times` times. */
async function promptsOf(cwd: string, times = 1): Promise<string[]> {
  const workspace = { cwd } as Services["workspace"];
  await using opened = await testKernel([prompt], { services: { workspace } });
  return Array.from({ length: times }, () => opened.kernel.find("prompt")?.system() ?? "");
}

describe("the system prompt", () => {
  it("says who the agent is, where it works, and what a reminder is", async () => {
    const [text] = await promptsOf("/home/me/project");
    expect(text).toMatch(/^You are Scorel, /);
    expect(text).toContain(
      "Tool results and user messages may include <system-reminder> tags. These contain information from the system and bear no direct relation to the specific tool results or user messages in which they appear.",
    );
    expect(text?.split("\n\n").at(-1)).toBe(
      `Working directory: /home/me/project\nPlatform: ${process.platform}\nDate: ${new Date(testHeader.createdAt).toISOString().slice(0, 10)}`,
    );
  });

  it("is the same text whenever a session is opened", async () => {
    const [first, again] = await promptsOf("/p", 2);
    vi.useFakeTimers({ now: Date.UTC(2040, 1, 2), toFake: ["Date"] });
    const [later] = await promptsOf("/p");
    expect(new Set([first, again, later]).size).toBe(1);
  });

  it("takes at most 1.2 KB", async () => {
    const [text] = await promptsOf("/home/me/a/rather/long/path/to/some/project");
    expect(Buffer.byteLength(text ?? "")).toBeLessThanOrEqual(1228);
  });

  it("leaves nothing behind", async () => {
    await using opened = await testKernel([]);
    const before = opened.kernel.census();
    await opened.kernel.load({ plugin: prompt, origin: "test" });
    await opened.kernel.unload("prompt");
    expect(opened.kernel.census()).toEqual(before);
  });
});
