import type { ToolCallApproval, ToolCallInput, ToolCallVerdict } from "@scorel/agent/contract";
import type { DisplayAction } from "@scorel/kernel";
import { visibleText } from "@scorel/kit/text/plain";
import type { RequestOption } from "@scorel/requests/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { CallRequest } from "./contract.ts";
import { type ExecutorFiles, filesOf } from "./files/executor.ts";
import { hiddenIn } from "./files/reading.ts";
import { parentRules } from "./inherited.ts";
import { judge } from "./judge.ts";
import { followParent } from "./plan.ts";
import { believed, type Declared } from "./project-tools.ts";
import type { Reach } from "./rules/rule-file.ts";
import { configOf, modeOf, parsed, readableIn, type State, workspaceOf } from "./state.ts";
import type { Rules, Verdict } from "./verdict.ts";

/** Allows a tool call, asks a person about it, or refuses it. An error in here refuses it too. */
export async function guardCall(call: ToolCallApproval, signal: AbortSignal | undefined, state: State) {
  if (call.refused) return undefined; // The call was already refused, so nobody needs to approve it.
  await followParent(state);
  const first = await verdictOn(call, state);
  if (first.decision === "allow")
    return (await needsOldRulesQuestion(call, state)) ? settleOldRules(signal, state) : undefined;
  if (first.decision === "deny") return refused(first.why);
  if (!state.ctx.requests.attended) return unanswered(call, first, "nobody is there to ask", state);
  // Questions are asked one at a time, since an answer may settle the next one.
  const turn = state.asking.then(() => ask(call, signal, state));
  state.asking = turn.catch(() => {});
  return turn;
}

/**
 * Whether a call is allowed only by rules from before project rules existed, and the person has not yet chosen where those
 * apply.
 */
async function needsOldRulesQuestion(call: ToolCallInput, state: State): Promise<boolean> {
  if (!state.ctx.requests.attended || state.ctx.config.allow.length === 0) return false;
  const { oldRules } = await import("./rules/old-rules.ts");
  const old = await oldRules(state);
  if (old.length === 0) return false;
  const allow = state.ctx.config.allow.filter((rule) => !old.includes(rule));
  return (await verdictOn(call, state, allow)).decision !== "allow";
}

/** Asks where the old rules should apply, after any open question. The current call runs whatever the answer. */
function settleOldRules(signal: AbortSignal | undefined, state: State): Promise<undefined> {
  const turn = state.asking.then(async () => (await import("./rules/old-rules.ts")).askAboutOldRules(state, signal));
  state.asking = turn.catch(() => {});
  return turn;
}

async function ask(call: ToolCallInput, signal: AbortSignal | undefined, state: State) {
  signal?.throwIfAborted();
  const verdict = await verdictOn(call, state);
  if (verdict.decision === "allow") return undefined;
  if (verdict.decision === "deny") return refused(verdict.why);
  const { ctx } = state;
  const { toolCall, args } = call;
  const data: CallRequest = { toolCallId: toolCall.id, tool: toolCall.name, args, rules: verdict.rules };
  const body = await bodyOf(call, requiredWorkspace(state), filesOf(ctx));
  const title = visibleText(`${toolCall.name}: ${verdict.why}`);
  const { answer, reason } = await ctx.requests.ask(
    { kind: "select", title, body, options: optionsFor(verdict.rules), data },
    { signal },
  );
  if (answer === "s" || answer === "a" || answer === "e") state.rules.push(...verdict.rules);
  if (answer === "a") await keep(verdict.rules, "project", state);
  if (answer === "e") await keep(verdict.rules, "everywhere", state);
  if (answer === "y" || answer === "s" || answer === "a" || answer === "e") return undefined;
  if (answer === null) {
    const because = ctx.requests.attended ? `nobody answered: ${reason}` : "nobody is there to ask";
    return unanswered(call, verdict, because, state);
  }
  return refused(reason ? `the user said no: ${reason}` : "the user said no");
}

/** Saves rules to the user's file. If that fails, the person is warned, and the rules still apply to this session. */
async function keep(rules: readonly string[], reach: Reach, state: State): Promise<void> {
  const { ctx } = state;
  const { addRules } = await import("./rules/rule-file.ts");
  const { recordEverywhere } = await import("./rules/old-rules.ts");
  try {
    if (reach === "everywhere") await recordEverywhere(state);
    await addRules(rules, reach, ctx);
  } catch (thrown) {
    ctx.report("keeping a rule", thrown);
  }
}

/** A test for files below a folder that a search must leave out. */
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

function rulesOf({ ctx, rules, forgotten }: State, given?: readonly string[]): Rules {
  const { allow, ask, deny } = configOf(ctx);
  const kept = given ? allow.filter((rule) => given.includes(rule)) : allow;
  const all = [...kept, ...rules, ...parentRules(workspaceOf(ctx)?.parent)];
  const held = all.filter((rule) => !forgotten.has(rule));
  return { allow: parsed(held), ask: parsed(ask), deny: parsed(deny) };
}

async function verdictOn(call: ToolCallInput, state: State, allow?: readonly string[]): Promise<Verdict> {
  const { assistantMessage, toolCall, args } = call;
  const declared = await declaredAbout(toolCall.name, args, state);
  approvedOf(assistantMessage, state).set(toolCall.id, declared.reads);
  return judgeDeclared(toolCall.name, args, declared, state, allow);
}

function judgeDeclared(
  tool: string,
  args: unknown,
  declared: Declared,
  state: State,
  allow?: readonly string[],
): Promise<Verdict> {
  const { ctx } = state;
  const rules = rulesOf(state, allow);
  const workspace = requiredWorkspace(state);
  const readable = readableIn(ctx);
  return judge({ tool, args, ...declared, files: filesOf(ctx), mode: modeOf(state), rules, workspace, readable });
}

/** Judges a reading call that a person has named in a message. */
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

/** What a tool declares about a call, as far as it is believed. */
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
function requiredWorkspace({ ctx }: Pick<State, "ctx">): Workspace {
  const workspace = workspaceOf(ctx);
  if (!workspace) throw new Error("there is no workspace to judge by");
  return workspace;
}

function refused(why: string): ToolCallVerdict {
  return {
    block: true,
    reason: `Denied: ${why}. Do not try the same in another way; go on without it, or say what you need it for.`,
  };
}

function unanswered(
  { toolCall, args }: ToolCallInput,
  { why, rules }: Verdict,
  because: string,
  state: State,
): ToolCallVerdict {
  const { command, file_path, path, pattern } = args as Readonly<Record<string, string | undefined>>;
  state.ctx.session.emit("permission_denied", {
    tool: toolCall.name,
    what: visibleText(command ?? `${toolCall.name} ${file_path ?? path ?? pattern ?? ""}`.trim()),
    rules,
    why: visibleText(why),
    mode: modeOf(state),
  });
  return refused(`${why}, and ${because}`);
}

function optionsFor(rules: readonly string[]): RequestOption[] {
  const once: RequestOption[] = [{ value: "y", label: "yes, this once", kind: "allow_once" }];
  const no: RequestOption = { value: "n", label: "no (you can add a reason)", kind: "reject_once" };
  const always = "allow_always";
  if (rules.length === 0) return [...once, no];
  const named = rules.map((rule) => JSON.stringify(rule)).join(", ");
  return [
    ...once,
    { value: "s", label: `yes, in this session: ${named}`, kind: always },
    { value: "a", label: `always in this project: ${named}`, kind: always, lasting: true },
    {
      value: "e",
      label: `always in every project: adds ${named} to [permissions] allow in ~/.scorel/config.toml`,
      kind: always,
      lasting: true,
    },
    no,
  ];
}

/** Shows the exact command or the change to the file. Control characters are made visible, so that nothing can hide text. */
async function bodyOf(
  { toolCall, args }: ToolCallInput,
  workspace: Workspace,
  files: ExecutorFiles | undefined,
): Promise<DisplayAction[]> {
  const { changeOf } = await import("./change.ts");
  const { command, ...rest } = args as { command?: unknown; cwd?: unknown };
  if (typeof command !== "string") return [await changeOf(toolCall.name, args, workspace, files)];
  const line = notice(`$ ${visibleText(command)}`);
  if (toolCall.name !== "Bash") return [line, await changeOf(toolCall.name, rest, workspace, files)];
  return typeof rest.cwd === "string" ? [line, notice(`in ${visibleText(rest.cwd)}`)] : [line];
}

function notice(text: string): DisplayAction {
  return { display: "notice", level: "info", text };
}
