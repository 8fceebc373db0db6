import { defineErrors } from "@scorel/kernel";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loggerTo } from "../../presets/start/logger.ts";

const errors = defineErrors({ X_FULL: (a: { what: string }) => `${a.what} is full` });

/** Writes one line of each kind, and returns what was printed. */
function printed({ isVerbose = false, isServing = false }): string {
  let text = "";
  const logger = loggerTo({ write: (more) => (text += more) }, { isVerbose, isServing: () => isServing });
  logger.debug("a look");
  logger.info("a client", { clientId: "one" });
  logger.warn("A session could not be closed", errors.X_FULL({ what: "\u001b[31mThe disk" }));
  logger.error("It failed", "for no reason");
  return text;
}

const problems =
  "scorel: warn: A session could not be closed: The disk is full\nscorel: error: It failed: for no reason\n";

describe("what the host and its sessions log", () => {
  it("is printed with --verbose", () => {
    const details = "scorel: debug: a look\nscorel: info: a client: { clientId: 'one' }\n";
    expect(printed({ isVerbose: true })).toBe(details + problems);
  });

  it("is printed by a process that serves others if it is a problem, with its cause and without control characters", () => {
    expect(printed({ isServing: true })).toBe(problems);
  });

  it("is not printed by any other process", () => {
    expect(printed({})).toBe("");
  });

  it("says where an unforeseen error came from", () => {
    const write = vi.fn();
    loggerTo({ write }, { isVerbose: false, isServing: () => true }).warn(
      "It failed",
      new TypeError("x is no function"),
    );
    expect(write.mock.calls[0]?.[0]).toMatch(
      /^scorel: warn: It failed: TypeError: x is no function\n {4}at .*logger\.test\.ts/,
    );
  });

  it("has at most 100 problems in an hour, which others may cause", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const lines: string[] = [];
    const logger = loggerTo({ write: (line) => lines.push(line) }, { isVerbose: false, isServing: () => true });
    const flood = () => {
      for (let count = 0; count < 1_000; count++) logger.warn("A client was refused");
      return lines.splice(0);
    };
    const refused = "scorel: warn: A client was refused\n";
    const expected = [...Array(100).fill(refused), "scorel: warn: Further problems of this hour are not printed.\n"];
    expect(flood()).toEqual(expected);
    vi.advanceTimersByTime(60 * 60_000);
    expect(flood()).toEqual(expected);
  });
});
