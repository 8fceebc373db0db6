import type { ToolCallApproval, ToolCallInput, ToolCallVerdict } from "@scorel/agent/contract";
import { visibleText } from "@scorel/host/client";
import type { Workspace } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import type { RequestOption } from "@scorel/requests/contract";
import type { CallRequest } from "./contract.ts";
import { judge } from "./judge.ts";
import { hiddenIn } from "./reading.ts";
import { modeOf, parsed, readableIn, type State, workspaceOf } from "./state.ts";
import type { Case, Rules, Verdict } from "./verdict.ts";

/** Lets a call run, asks a person about it, or refuses it. Whatever goes wrong in here denies. */
export async function guardCall(call: ToolCallApproval, signal: AbortSignal | undefined, state: State) {
  if (call.refused) return undefined; // Nobody need agree to what will not run.
  const first = await verdictOn(call, state);
  if (first.decision === "allow") return undefined;
  if (first.decision === "deny") return refused(first.why);
  if (!state.ctx.requests.attended) return unanswered(call, first, state);
  // Questions come one after the other, since an answer may settle the next one.
  const turn = state.asking.then(() => ask(call, signal, state));
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
  const body = await bodyOf(call, requiredWorkspace(state));
  const title = visibleText(`${toolCall.name}: ${verdict.why}`);
  const { answer, reason } = await ctx.requests.ask(
    { kind: "select", title, body, options: optionsFor(verdict.rules), data },
    { signal },
  );
  if (answer === "s" || answer === "a") state.rules.push(...verdict.rules);
  if (answer === "a") await keep(verdict.rules, state);
  if (answer === "y" || answer === "s" || answer === "a") return undefined;
  if (answer === null) return unanswered(call, verdict, state);
  return refused(reason ? `the user said no: ${reason}` : "the user said no");
}

/** A rule that cannot be kept still holds for the session, and the person is told. */
async function keep(rules: readonly string[], { ctx }: State): Promise<void> {
  const { addRules } = await import("./rule-file.ts");
  await addRules(rules, ctx).catch((thrown: unknown) => ctx.report("keeping a rule", thrown));
}

/** Which files below a folder a search leaves out. */
export function hiddenFrom(folder: string, shows: "names" | "contents", state: State): (path: string) => boolean {
  const { ctx } = state;
  const reader = { rules: rulesOf(state), workspace: requiredWorkspace(state), readable: readableIn(ctx) };
  return hiddenIn(folder, shows, reader);
}

function rulesOf({ ctx, rules }: State): Rules {
  const { allow, ask, deny } = ctx.config;
  return { allow: parsed([...allow, ...rules]), ask: parsed(ask), deny: parsed(deny) };
}

async function verdictOn({ toolCall, args }: ToolCallInput, state: State): Promise<Verdict> {
  const { ctx } = state;
  const rules = rulesOf(state);
  const { access, reads } = await touchedBy(toolCall.name, args, state);
  const workspace = requiredWorkspace(state);
  const readable = readableIn(ctx);
  return judge({ tool: toolCall.name, args, access, reads, mode: modeOf(state), rules, workspace, readable });
}

async function touchedBy(name: string, args: unknown, { ctx }: State): Promise<Pick<Case, "access" | "reads">> {
  const tool = ctx.find("tools")?.get(name);
  if (!tool) return { access: "exclusive" };
  const params = tool.validate(args);
  return { access: await tool.access(params), reads: await tool.reads(params) };
}

/** Without a place to work in nothing can be judged. */
function requiredWorkspace(state: State): Workspace {
  const workspace = workspaceOf(state.ctx);
  if (!workspace) throw new Error("there is no workspace to judge by");
  return workspace;
}

function refused(why: string): ToolCallVerdict {
  return {
    block: true,
    reason: `Denied: ${why}. Do not try the same in another way; go on without it, or say what you need it for.`,
  };
}

function unanswered({ toolCall, args }: ToolCallInput, { why, rules }: Verdict, { ctx }: State): ToolCallVerdict {
  const { command, file_path, path, pattern } = args as Readonly<Record<string, string | undefined>>;
  ctx.session.emit("permission_denied", {
    tool: toolCall.name,
    what: visibleText(command ?? `${toolCall.name} ${file_path ?? path ?? pattern ?? ""}`.trim()),
    rules,
  });
  return refused(`${why}, and nobody is there to ask`);
}

function optionsFor(rules: readonly string[]): RequestOption[] {
  const once = [{ value: "y", label: "yes, this once" }];
  const no = { value: "n", label: "no (say why behind it)" };
  if (rules.length === 0) return [...once, no];
  const named = rules.map((rule) => JSON.stringify(rule)).join(", ");
  return [
    ...once,
    { value: "s", label: `yes, in this session: ${named}` },
    { value: "a", label: `always: adds ${named} to [permissions] allow in ~/.scorel/config.toml` },
    no,
  ];
}

/** What a person has to see: the exact command, or what becomes of the file; nothing in it can hide the rest. */
async function bodyOf({ toolCall, args }: ToolCallInput, workspace: Workspace): Promise<DisplayAction[]> {
  const { changeOf } = await import("./change.ts");
  const { command, ...rest } = args as { command?: unknown; cwd?: unknown };
  if (typeof command !== "string") return [await changeOf(toolCall.name, args, workspace)];
  const line = told(`$ ${visibleText(command)}`);
  if (toolCall.name !== "Bash") return [line, await changeOf(toolCall.name, rest, workspace)];
  return typeof rest.cwd === "string" ? [line, told(`in ${visibleText(rest.cwd)}`)] : [line];
}

function told(text: string): DisplayAction {
  return { display: "notice", level: "info", text };
}
