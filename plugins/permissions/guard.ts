import type { ToolCallApproval, ToolCallDecision, ToolCallInput } from "@scorel/agent/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { Mode } from "./contract.ts";
import { type ExecutorFiles, filesOf } from "./files/executor.ts";
import { hiddenIn } from "./files/reading.ts";
import { followParent } from "./follow-parent.ts";
import { parentRules } from "./inherited.ts";
import { judge } from "./judge.ts";
import { believed, type Declared } from "./project-tools.ts";
import { configOf, modeOf, parsed, readableIn, type State, widestMode, workspaceOf } from "./state.ts";
import type { Rules, Verdict } from "./verdict.ts";

/** Allows a tool call, wants a person to be asked about it, or refuses it. An error in here refuses it too. */
export async function guardCall(call: ToolCallApproval, state: State) {
  if (call.refused) return undefined; // The call was already refused, so nobody needs to approve it.
  await followParent(state);
  if (call.typed === "allowed") return guardTyped(call, state);
  const first = await verdictOn(call, state);
  if (first.decision === "allow") return undefined;
  if (first.decision === "deny") return refused(first.why);
  const objection: ToolCallDecision = { ask: first.why };
  state.own.add(objection);
  return objection;
}

/**
 * Judges a call that a person typed. That person could also answer the question about it, so only calls that no answer
 * could allow are refused: those that rules deny, and those that the session's widest possible mode does not allow.
 */
async function guardTyped(call: ToolCallApproval, state: State): Promise<ToolCallDecision | undefined> {
  const { decision, why } = await verdictOn(call, state);
  return decision === "deny" ? { block: true, reason: `${why}.` } : undefined;
}

/** Returns a test for the files below a folder that a search must leave out. */
export async function hiddenFrom(
  folder: string,
  shows: "names" | "contents",
  state: State,
): Promise<(path: string) => boolean> {
  const { ctx } = state;
  const reader = { rules: rulesOf(state), workspace: requiredWorkspace(state), readable: readableIn(ctx) };
  if (isLocal(filesOf(ctx))) return hiddenIn(folder, shows, reader);
  const { withoutLooking } = await import("./files/elsewhere.ts");
  const test = withoutLooking(() => hiddenIn(folder, shows, reader));
  return (path) => withoutLooking(() => test(path));
}

function isLocal(files: ExecutorFiles | undefined): boolean {
  return !files || files.local === true;
}

function rulesOf({ ctx, rules, forgotten }: State): Rules {
  const { allow, ask, deny } = configOf(ctx);
  const all = [...allow, ...rules, ...parentRules(workspaceOf(ctx)?.parent)];
  const held = all.filter((rule) => !forgotten.has(rule));
  return { allow: parsed(held), ask: parsed(ask), deny: parsed(deny) };
}

/**
 * Judges a tool call by the session's rules, and by its mode or the given one. Remembers the paths that the tool
 * reports to read, except for a call that a person typed.
 */
export async function verdictOn(call: ToolCallInput, state: State, supposed: { mode?: Mode } = {}): Promise<Verdict> {
  const { assistantMessage, toolCall, args } = call;
  const declared = await declaredAbout(toolCall.name, args, state);
  if (!call.typed) approvedOf(assistantMessage, state).set(toolCall.id, declared.reads);
  const typed = call.typed === "allowed" ? { mode: widestMode(state) } : {};
  return judgeDeclared(toolCall.name, args, declared, state, { ...typed, ...supposed });
}

function judgeDeclared(
  tool: string,
  args: unknown,
  declared: Declared,
  state: State,
  { mode = modeOf(state) }: { mode?: Mode } = {},
): Promise<Verdict> {
  const { ctx } = state;
  const rules = rulesOf(state);
  const workspace = requiredWorkspace(state);
  const readable = readableIn(ctx);
  return judge({ tool, args, ...declared, files: filesOf(ctx), mode, rules, workspace, readable });
}

/** Judges a reading call that a person's message names. */
export async function judgeNamed(
  { id, tool, args }: { id: string; tool: string; args: object },
  state: State,
): Promise<Pick<Verdict, "decision" | "why">> {
  const declared = await declaredAbout(tool, args, state);
  const { decision, why } = await judgeDeclared(tool, args, declared, state);
  if (decision === "allow") state.named.set(id, declared.reads);
  return { decision, why };
}

/**
 * Returns the reads of judged calls for this reply. A new reply discards those of the previous one, whose calls have all ended.
 */
function approvedOf(reply: object, state: State): Map<string, readonly string[] | undefined> {
  if (state.judged?.reply !== reply) state.judged = { reply, reads: new Map() };
  return state.judged.reads;
}

/** What a tool declares about a call, reduced to what a tool of its origin may claim. */
async function declaredAbout(name: string, args: unknown, { ctx }: State): Promise<Declared> {
  const tool = ctx.find("tools")?.get(name);
  if (!tool) return { access: "exclusive" };
  const params = tool.validate(args);
  const declared = {
    access: await tool.access(params),
    approval: await tool.approval(params),
    reads: await tool.reads(params),
    about: await tool.about(params),
  };
  return believed(declared, tool, { workspace: requiredWorkspace({ ctx }), ...configOf(ctx) });
}

/** Throws without a workspace: nothing can be judged then, and the guard fails closed. */
export function requiredWorkspace({ ctx }: Pick<State, "ctx">): Workspace {
  const workspace = workspaceOf(ctx);
  if (!workspace) throw new Error("there is no workspace to judge by");
  return workspace;
}

/** The decision that refuses a call, with a reason that tells the model what to do instead. */
export function refused(why: string): ToolCallDecision {
  return {
    block: true,
    reason: `Denied: ${why}. Do not work around this. Continue without it, or explain why you need it.`,
  };
}
