import { isEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { RequestOption } from "@scorel/requests/contract";
import type { Mode } from "./contract.ts";
import { isUnlocked, modeOf, type State, workspaceOf } from "./state.ts";

const BEGINS =
  "Plan mode is on: nothing may be changed. Only tools that read run, and commands that only read the project; everything else is denied. Find out what you need, then answer with a plan under the heading `## Plan` (that word in English): what you would change, file by file, and how you would check it. The user decides whether it is carried out. An answer without that heading, such as one to a question, is no plan.";
const ENDS = "Plan mode is over: files may be changed and commands run again, as far as the user's permissions allow.";

/** Tells the model, in the conversation, that plan mode has begun or ended. */
export async function tellMode(state: State): Promise<void> {
  const { session } = state.ctx;
  const planning = modeOf(state) === "plan";
  const data = { planMode: planning };
  const text = planning ? BEGINS : ENDS;
  await session.append("harness_item", { kind: "runtime_notice", origin: "system", visibility: "model", text, data });
}

const CARRY_OUT = "The plan is approved. Carry it out.";
const OPTIONS: RequestOption[] = [
  { value: "y", label: "yes, and edit files without asking (mode edits)", kind: "allow_always", message: CARRY_OUT },
  { value: "k", label: "yes, and ask before each edit (mode ask)", kind: "allow_once", message: CARRY_OUT },
  { value: "n", label: "no, keep planning (you can add what to change)", kind: "reject_once", message: true },
];
const NEXT: Readonly<Record<string, Mode>> = { y: "edits", k: "ask" };

/** The heading of a plan, as the model is asked to write it and as models write it by themselves. */
const PLAN = /^\s{0,3}(?:#{1,6}\s+(?:\S.*\s)?plan\b|(?:\*\*)?(?:the )?plan(?:\*\*)?:)/im;

/** Whether the conversation ends with a reply that has a plan. */
function endsWithPlan({ session }: State["ctx"]): boolean {
  for (let id = session.activeLeaf; id !== null; id = session.tree.parent(id)?.id ?? null) {
    const event = session.tree.get(id);
    const message = isEvent(event, "message") ? event.message : undefined;
    if (message?.role === "user") return false;
    if (message?.role === "assistant")
      return message.content.some((block) => block.type === "text" && PLAN.test(block.text));
  }
  return false;
}

/** Asks whether to carry out the plan that ended a turn. The question is withdrawn when the conversation continues. */
export async function proposePlan(state: State): Promise<void> {
  const { ctx } = state;
  if (modeOf(state) !== "plan" || !ctx.requests.attended || !endsWithPlan(ctx)) return;
  state.proposal?.abort();
  const proposal = new AbortController();
  state.proposal = proposal;
  const options = OPTIONS.filter(({ value }) => isUnlocked(NEXT[value] ?? "plan", state));
  // The mode plan is locked, so no plan can be carried out here.
  if (options.length === 1) return;
  const question = { kind: "select" as const, title: "Carry out this plan?", options };
  try {
    const data = { plan: ctx.session.activeLeaf };
    const { answer } = await ctx.requests.ask({ ...question, data }, { signal: proposal.signal });
    const mode = NEXT[answer ?? ""];
    if (mode) await changeMode(mode, state);
  } catch (thrown) {
    if (!proposal.signal.aborted) ctx.report("the question about the plan", thrown);
  }
}

/** Changes the session's mode. The mode is stored, so it still applies when the session is opened again. */
export async function changeMode(mode: Mode, state: State, by: { clientId?: string } = {}): Promise<void> {
  state.chosen = mode;
  state.followed = undefined;
  const workspace = workspaceOf(state.ctx);
  // A mode chosen in the session replaces the one that it was opened with, also when the session is reloaded, and for a host that compares
  // the options of the next client with those of the session.
  if (workspace) workspace.permission = mode;
  await state.ctx.session.append("permission_mode", { mode }, by);
}
