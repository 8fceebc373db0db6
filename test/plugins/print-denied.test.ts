import { expect, it } from "vitest";
import { howToAllow } from "../../plugins/print/denied.ts";

it("rules for files with keys are not offered for copying together with others", () => {
  const denied = (what: string, more: object) => ({
    type: "permission_denied",
    tool: "Read",
    what,
    mode: "ask",
    ...more,
  });
  const lines = howToAllow([
    denied("Read ../notes.md", { why: "../notes.md is outside of the project", rules: ["Read(/notes.md)"] }),
    denied("Read .env", { why: ".env usually contains keys or passwords", rules: ["Read(.env)"], inEveryMode: true }),
  ] as never).split("\n");
  expect(lines.slice(-3)).toEqual([
    'allow = ["Read(/notes.md)"]',
    "Allow files with keys one by one, and only those that the agent must read:",
    "  Read(.env)",
  ]);
  expect(lines).toContain("  .env usually contains keys or passwords");
});
