import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {} from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import type { State } from "../state.ts";
import { addRules, removeRules, rulesOf } from "./rule-file.ts";

/** The user's rules for every project, until the person confirms that they apply everywhere; then empty. */
export function oldRules(state: State): Promise<readonly string[]> {
  state.oldRules ??= wasAsked(state)
    ? Promise.resolve([])
    : rulesOf("everywhere", state.ctx).catch((thrown: unknown) => {
        state.ctx.report("rules that were kept before", thrown);
        return [];
      });
  return state.oldRules;
}

/** Asks once where the old rules should apply, in the first session where one of them decides a call. */
export async function askAboutOldRules(state: State, signal: AbortSignal | undefined): Promise<undefined> {
  const rules = await oldRules(state);
  if (rules.length === 0) return;
  const { ctx } = state;
  const { answer } = await ctx.requests.ask(
    {
      kind: "select",
      title: "Where should these rules of yours apply?",
      body: [
        {
          display: "notice",
          level: "info",
          text: `They are saved in ~/.scorel/config.toml and apply in every project. What you allowed for one project, such as running its tests, is allowed in all others, too:\n${rules.join("\n")}`,
        },
      ],
      options: [
        { value: "p", label: "only in this project; others will ask again", lasting: true },
        { value: "e", label: "in every project, as until now", lasting: true },
      ],
    },
    { signal },
  );
  // Without an answer, the next session asks again.
  state.oldRules = Promise.resolve([]);
  if (answer !== "p" && answer !== "e") return;
  try {
    if (answer === "p") await moveToProject(rules, state);
    await recordAnswer(state);
  } catch (thrown) {
    ctx.report("keeping the rules for this project", thrown);
  }
}

/** Adds the rules to the project before removing them elsewhere, so that none is lost on failure. */
async function moveToProject(rules: readonly string[], { ctx }: State): Promise<void> {
  await addRules(rules, "project", ctx);
  await removeRules(rules, "everywhere", ctx);
}

/** Records that the question is settled when a person without older rules chooses "every project". */
export async function recordEverywhere(state: State): Promise<void> {
  if ((await oldRules(state)).length === 0 && !wasAsked(state)) await recordAnswer(state);
}

function answerFile({ ctx }: State): string {
  return join(ctx.find("workspace")?.home ?? "", ".scorel", "permissions.json");
}

function wasAsked(state: State): boolean {
  try {
    return "rulesAskedAt" in JSON.parse(readFileSync(answerFile(state), "utf8"));
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") state.ctx.report("whether old rules were asked about", thrown);
    return false;
  }
}

async function recordAnswer(state: State): Promise<void> {
  await state.ctx
    .find("sharedFiles")
    ?.changeFile(answerFile(state), () => `${JSON.stringify({ version: 1, rulesAskedAt: Date.now() })}\n`);
}
