import { expect, it } from "vitest";
import { judged } from "./judged.ts";
import { post } from "./setup.ts";

/** The reason of a refusal, without the rule and without the advice for the model. */
function outcomeOf(said: string): string {
  return said
    .replace(/^Denied: /, "")
    .replace(/(?:\.|, and nobody is there to ask\.)(?: .*)?$/s, "")
    .replace(/^the rule "[^"]*" matches it$/, "matches")
    .replace(/^it may run what the rule "[^"]*" is about$/, "may run")
    .replace(/^it contains (.*), so it may run what the rule "[^"]*" is about$/, "contains $1")
    .replace(/^`[\s\S]*$/, "asks");
}

it.each(judged)("with $what, a command is judged by what it runs and reads", async ({ config, outcomes }) => {
  await using t = await post(config);
  t.file("src/a.txt", "a\n");
  t.file("secrets/k", "key\n");
  const found: Record<string, string[]> = {};
  for (const command of Object.values(outcomes).flat()) {
    const outcome = outcomeOf(await t.bash(command));
    found[outcome] = [...(found[outcome] ?? []), command];
  }
  expect(found).toEqual(outcomes);
});
