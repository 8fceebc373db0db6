import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyday } from "./everyday.ts";
import { fed, hidden, otherwise, pushes } from "./hidden.ts";
import { type Post, post } from "./setup.ts";

/** In the mode in which nothing else asks. */
async function denying(...deny: string[]): Promise<Post> {
  return post({ mode: "full", deny });
}

describe("a rule that denies a command holds", () => {
  it.each([
    [hidden, "Bash(danger go*)"],
    [hidden, "Bash(danger go *)"],
    [hidden, "Bash(danger *)"],
    [pushes, "Bash(git push*)"],
    [pushes, "Bash(git push *)"],
    [fed, "Bash(git push *)"],
  ] as const)("however it is hidden (%#)", async (commands, rule) => {
    await using t = await denying(rule);
    const ran: string[] = [];
    for (const command of commands) if ((await t.bash(command)) === "runs") ran.push(command);
    expect(ran).toEqual([]);
  });
});

it.each(otherwise)("a rule about %s holds in whatever words it is said", async (rule, commands) => {
  await using t = await denying(`Bash(${rule})`);
  const ran: string[] = [];
  for (const command of commands) if ((await t.bash(command)) === "runs") ran.push(command);
  expect(ran).toEqual([]);
});

describe("a rule that denies a command asks about nothing else", () => {
  let guard: Post;
  beforeAll(async () => {
    guard = await denying(
      "Bash(git push *)",
      "Bash(danger go*)",
      "Bash(npm publish*)",
      "Bash(rm -rf *)",
      "Bash(docker push *)",
      "Bash(sudo *)",
    );
  });
  afterAll(() => guard[Symbol.asyncDispose]());

  it("among what is run all day", async () => {
    const asked: [string, string][] = [];
    for (const command of everyday) {
      const outcome = await guard.bash(command);
      if (outcome !== "runs") asked.push([command, outcome]);
    }
    expect(asked).toEqual([]);
    expect(everyday.length).toBeGreaterThan(200);
  });
});
