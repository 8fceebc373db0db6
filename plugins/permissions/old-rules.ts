import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {} from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { addRules, removeRules, rulesOf } from "./rule-file.ts";
import type { State } from "./state.ts";

/** The user's rules for every project, as long as nobody has said that they are meant to hold there; else none. */
export function oldRules(state: State): Promise<readonly string[]> {
  state.oldRules ??= wasAsked(state)
    ? Promise.resolve([])
    : rulesOf("everywhere", state.ctx).catch((thrown: unknown) => {
        state.ctx.report("rules that were kept before", thrown);
        return [];
      });
  return state.oldRules;
}

/** Asks once, in whichever session one of them decides first. */
export async function askAboutOldRules(state: State, signal: AbortSignal | undefined): Promise<undefined> {
  const rules = await oldRules(state);
  if (rules.length === 0) return;
  const { ctx } = state;
  const { answer } = await ctx.requests.ask(
    {
      kind: "select",
      title: "Where are the rules of ~/.scorel/config.toml to hold?",
      body: [
        {
          display: "notice",
          level: "info",
          text: `They hold in every project, so that what was allowed for one, such as its tests, runs in another without a question:\n${rules.join("\n")}`,
        },
      ],
      options: [
        { value: "p", label: "in this project only; every other one asks again" },
        { value: "e", label: "in every project, as before" },
      ],
    },
    { signal },
  );
  // Asked again in the next session when there was no answer.
  state.oldRules = Promise.resolve([]);
  if (answer !== "p" && answer !== "e") return;
  try {
    if (answer === "p") await bind(rules, state);
    await remember(state);
  } catch (thrown) {
    ctx.report("keeping the rules for this project", thrown);
  }
}

/** They hold here first, so that none is lost in between. */
async function bind(rules: readonly string[], { ctx }: State): Promise<void> {
  await addRules(rules, "project", ctx);
  await removeRules(rules, "everywhere", ctx);
}

/** A person who chooses every project, and has no older rules for it, need not be asked about the new one. */
export async function noteChoice(state: State): Promise<void> {
  if ((await oldRules(state)).length === 0 && !wasAsked(state)) await remember(state);
}

function placeOf({ ctx }: State): string {
  return join(ctx.find("workspace")?.home ?? "", ".scorel", "permissions.json");
}

function wasAsked(state: State): boolean {
  try {
    return "rulesAskedAt" in JSON.parse(readFileSync(placeOf(state), "utf8"));
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") state.ctx.report("whether old rules were asked about", thrown);
    return false;
  }
}

async function remember(state: State): Promise<void> {
  await state.ctx
    .find("host")
    ?.changeFile(placeOf(state), () => `${JSON.stringify({ version: 1, rulesAskedAt: Date.now() })}\n`);
}
