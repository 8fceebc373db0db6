import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyday } from "./everyday.ts";
import { otherwise } from "./hidden.ts";
import { type Post, post } from "./setup.ts";

/** A guard in mode `full`, in which only rules ask or deny. */
async function denying(...deny: string[]): Promise<Post> {
  return post({ mode: "full", deny });
}

it.each(otherwise)("a rule about %s applies to every spelling of the command", async (rule, commands) => {
  await using t = await denying(`Bash(${rule})`);
  const ran: string[] = [];
  for (const command of commands) if ((await t.bash(command)) === "runs") ran.push(command);
  expect(ran).toEqual([]);
});

describe("a deny rule for a command does not ask about", () => {
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

  it("everyday commands", async () => {
    const asked: [string, string][] = [];
    for (const command of everyday) {
      const outcome = await guard.bash(command);
      if (outcome !== "runs") asked.push([command, outcome]);
    }
    expect(asked).toEqual([]);
    expect(everyday.length).toBeGreaterThan(200);
  });
});
