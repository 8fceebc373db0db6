import { describe, expect, it } from "vitest";
import { fed, hidden, pushes } from "./hidden.ts";
import { byOptions } from "./hidden-options.ts";
import { post } from "./setup.ts";

describe("a deny rule for a command", () => {
  it.each([
    [hidden, "Bash(danger go*)"],
    [hidden, "Bash(danger go *)"],
    [hidden, "Bash(danger *)"],
    [pushes, "Bash(git push*)"],
    [pushes, "Bash(git push *)"],
    [fed, "Bash(git push *)"],
    [byOptions, "Bash(git push*)"],
    [byOptions, "Bash(git push *)"],
  ] as const)("however it is hidden (%#)", async (commands, rule) => {
    await using t = await post({ mode: "full", deny: [rule] });
    const ran: string[] = [];
    for (const command of commands) if ((await t.bash(command)) === "runs") ran.push(command);
    expect(ran).toEqual([]);
  });
});
