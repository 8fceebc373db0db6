import type { ApproverService, ToolCallInput, ToolCallObjection, ToolCallRefusal } from "@scorel/agent/contract";
import type { Transients } from "@scorel/kernel";
import { lockerOf } from "@scorel/kit/session/locks";
import { visibleText } from "@scorel/kit/text/plain";
import type { RequestAnswer } from "@scorel/requests/contract";
import { refused, verdictOn } from "./guard.ts";
import type { Asked } from "./question.ts";
import type { Reach } from "./rules/rule-file.ts";
import { allowsMode, isUnlocked, modeLock, modeOf, type State, widestMode } from "./state.ts";
import { questionsAbout } from "./unanswered.ts";
import type { Verdict } from "./verdict.ts";

/** Asks a person about calls that guards object to, one question at a time, since an answer may settle the next one. */
export const approverOf = (state: State): ApproverService["ask"] => {
  return (call, objections, signal, place) => {
    const others = objections.filter((objection) => !state.own.has(objection));
    const turn = state.asking.then(() => decide(call, others, { signal, ...place }, state));
    state.asking = turn.catch(() => {});
    return turn;
  };
};

async function decide(
  call: ToolCallInput,
  objections: readonly ToolCallObjection[],
  { signal, reply }: { signal: AbortSignal; reply?: string },
  state: State,
): Promise<ToolCallRefusal | undefined> {
  signal.throwIfAborted();
  const verdict = await verdictOn(call, state);
  if (verdict.decision === "deny") return refused(verdict.why);
  if (verdict.decision === "allow" && objections.length === 0) return undefined;
  const offersEdits = await wouldEditsAllow(call, verdict, state);
  const asked = { call, verdict, objections, offersEdits, ...(reply !== undefined && { reply }) };
  const given = await givenBefore(asked, state);
  if (given) return follow(asked, given, state);
  if (!state.ctx.requests.attended) return unanswered(asked, "nobody is there to ask", state);
  return ask(asked, signal, state);
}

/** The answer that a person gave to the same question after the host was restarted. */
async function givenBefore(asked: Asked, { ctx }: State): Promise<RequestAnswer | undefined> {
  const { call, reply } = asked;
  const [last] = reply === undefined ? [] : questionsAbout(reply, call.toolCall.id, ctx.session);
  if (last === undefined) return undefined;
  const { questionAbout } = await import("./question.ts");
  return ctx.requests.recall(last, await questionAbout(asked, ctx));
}

async function ask(asked: Asked, signal: AbortSignal, state: State): Promise<ToolCallRefusal | undefined> {
  const { ctx } = state;
  const { questionAbout } = await import("./question.ts");
  const question = await questionAbout(asked, ctx);
  const outlivesHost = asked.reply !== undefined;
  return follow(asked, await ctx.requests.ask(question, { signal, outlivesHost }), state);
}

/** Carries out a person's answer: keeps rules, changes the mode, allows or refuses the call. */
async function follow(
  asked: Asked,
  { answer, reason, declined }: RequestAnswer,
  state: State,
): Promise<ToolCallRefusal | undefined> {
  const { ctx } = state;
  const { rules } = asked.verdict;
  if (answer === "s" || answer === "a" || answer === "e") state.rules.push(...rules);
  if (answer === "a") await keep(rules, "project", state);
  if (answer === "e") await keep(rules, "everywhere", state);
  if (answer === "m") await (await import("./plan.ts")).changeMode("edits", state);
  if (["y", "m", "s", "a", "e"].includes(answer ?? "")) return undefined;
  if (declined) return { ...refused("the user declined it"), byPerson: {} };
  if (answer === null) {
    const because = ctx.requests.attended ? `nobody answered: ${reason}` : "nobody is there to ask";
    return unanswered(asked, because, state);
  }
  if (!reason) return { ...refused("the user said no"), byPerson: {} };
  return { ...refused(`the user said no: ${reason}`), byPerson: { reason } };
}

/** Whether the mode `edits` may be chosen in the session and would allow the call. */
async function wouldEditsAllow(call: ToolCallInput, { decision }: Verdict, state: State): Promise<boolean> {
  if (decision !== "ask" || modeOf(state) !== "ask" || !allowsMode("edits", state)) return false;
  return (await verdictOn(call, state, { mode: "edits" })).decision === "allow";
}

/** Saves rules to the user's file. If that fails, the person is warned, and the rules still apply to this session. */
async function keep(rules: readonly string[], reach: Reach, state: State): Promise<void> {
  const { ctx } = state;
  const { addRules } = await import("./rules/rule-file.ts");
  try {
    await addRules(rules, reach, ctx);
  } catch (thrown) {
    ctx.report("keeping a rule", thrown);
  }
}

/** Refuses a call whose question has no answer, and tells clients what would allow the call. */
async function unanswered(
  { call, verdict, objections }: Asked,
  because: string,
  state: State,
): Promise<ToolCallRefusal> {
  const { toolCall, args } = call;
  // Read at once, since the session may close meanwhile.
  const mode = modeOf(state);
  const { command, file_path, path, pattern, url } = args as Readonly<Record<string, string | undefined>>;
  const why = [...objections.map((objection) => objection.ask), ...(verdict.decision === "ask" ? [verdict.why] : [])];
  const inEveryMode = objections.length > 0 || (await verdictOn(call, state, { mode: "full" })).decision !== "allow";
  const locked = inEveryMode ? undefined : await lockedFor(call, state);
  const allowedBy = objections.flatMap((objection) => objection.allowedBy ?? []);
  state.ctx.session.emit("permission_denied", {
    tool: toolCall.name,
    what: visibleText(command ?? `${toolCall.name} ${file_path ?? path ?? pattern ?? url ?? ""}`.trim()),
    rules: objections.length > 0 ? [] : verdict.rules,
    why: visibleText(why.join("; ")),
    mode,
    ...(inEveryMode && { inEveryMode }),
    ...(locked && { locked }),
    // Another guard may object to the call and name nothing that would allow it.
    ...(allowedBy.length > 0 && allowedBy.length === objections.length && { allowedBy: allowedBy.map(visibleText) }),
  });
  const [told] = objections.flatMap(({ reason }) => reason ?? []);
  return told === undefined ? refused(`${why.join("; ")}, and ${because}`) : { block: true, reason: told };
}

/**
 * Undefined if the user may choose the mode `full`. Otherwise `by` names the preset or file that locks the mode; `mode` is set if the widest mode that may
 * still be chosen allows the call.
 */
async function lockedFor(
  call: ToolCallInput,
  state: State,
): Promise<Transients["permission_denied"]["locked"] | undefined> {
  const limit = modeLock(state);
  if (!limit || isUnlocked("full", state)) return undefined;
  const by = visibleText(lockerOf(limit.lock));
  const mode = widestMode(state);
  return (await verdictOn(call, state, { mode })).decision === "allow" ? { by, mode } : { by };
}
