import type { ToolCallInput, ToolCallObjection } from "@scorel/agent/contract";
import type { DisplayAction } from "@scorel/kernel";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import { visibleName, visiblePath, visibleText } from "@scorel/kit/text/plain";
import { clientName } from "@scorel/kit/values/client-name";
import type { Question, RequestOption } from "@scorel/requests/contract";
import type { CallRequest } from "./contract.ts";
import { type ExecutorFiles, filesOf } from "./files/executor.ts";
import { requiredWorkspace } from "./guard.ts";
import { inWords } from "./rules/in-words.ts";
import type { Context } from "./state.ts";
import type { Verdict } from "./verdict.ts";

/** What a question is about: a call, the verdict of the rules on it, and the objections of other guards. */
export interface Asked {
  call: ToolCallInput;
  verdict: Verdict;
  objections: readonly ToolCallObjection[];
  /** Whether the call is an edit that the mode `edits` would allow, so that all edits can be allowed at once. */
  offersEdits: boolean;
  /**
   * Id of the event with the reply that contains the call; set when the turn can continue with the answer after the
   * host was restarted.
   */
  reply?: string;
}

/** The most characters of a reason, and of the details that a guard shows. */
const REASON = 500;
const DETAILS = 4_000;
/** The most characters of rules in the label of an answer. */
const SHORT = 60;
/** For each answer that adds rules for good, where they are kept in the host's home folder. */
const KEPT_IN = { a: "~/.scorel/projects", e: "~/.scorel/config.toml" };

/** The question about a call: exactly what would run or change, why it is asked, and what each answer covers. */
export async function questionAbout(
  { call, verdict, objections, offersEdits, reply }: Asked,
  ctx: Context,
): Promise<Question> {
  const { toolCall, args } = call;
  // Rules and modes cannot answer the objections of other guards.
  const rules = objections.length > 0 ? [] : verdict.rules;
  const typedBy = typistOf(call);
  const data: CallRequest = {
    ...{ toolCallId: toolCall.id, tool: toolCall.name, args, rules },
    ...(rules.length > 0 && { keptIn: KEPT_IN }),
    ...(reply !== undefined && { reply }),
    ...(typedBy && { typedBy }),
  };
  return {
    kind: "select",
    title: titleOf(toolCall.name, typedBy),
    body: [
      ...(await bodyOf(call, ctx)),
      ...detailsOf(objections),
      ...backgroundOf(call, rules),
      ...reasonsOf(verdict, objections),
      ...listOf(rules),
    ],
    options: optionsFor(rules, offersEdits && objections.length === 0),
    data,
  };
}

const TITLES: Readonly<Record<string, string | undefined>> = {
  Bash: "Run this command?",
  Edit: "Make this edit?",
  Write: "Write this file?",
  Read: "Read this file?",
  WebFetch: "Fetch this page?",
};

/**
 * The title of the question. For a call that another person typed, it says who did, so that nobody takes it for their
 * own or the model's.
 */
function titleOf(tool: string, typedBy: CallRequest["typedBy"]): string {
  if (!typedBy) return TITLES[tool] ?? visibleText(`Use the tool ${tool}?`);
  const who = typedBy.name ?? "Another client";
  return tool === "Bash" ? `${who} wants to run:` : visibleText(`${who} wants to use the tool ${tool}:`);
}

function typistOf({ typedBy: clientId }: ToolCallInput): CallRequest["typedBy"] {
  if (clientId === undefined) return undefined;
  const name = clientName(clientId);
  return { clientId, ...(name !== undefined && { name }) };
}

function reasonsOf(verdict: Verdict, objections: readonly ToolCallObjection[]): DisplayAction[] {
  const own = verdict.decision === "ask" && !verdict.isUsual ? [verdict.why] : [];
  const all = new Set([...objections.map(({ ask }) => ask), ...own].map(oneLine));
  return [...all].map((reason) => notice(`Why you are asked: ${reason}`));
}

function detailsOf(objections: readonly ToolCallObjection[]): DisplayAction[] {
  return objections.flatMap(({ details }) => (details ? [notice(visibleText(details.slice(0, DETAILS)))] : []));
}

function oneLine(text: string): string {
  const line = visibleBreaks(visibleText(text.trim()));
  return line.length > REASON ? `${line.slice(0, REASON - 1)}…` : line;
}

/** What rules cover, in few words: the label of an answer has to fit on one line. */
function coveredBy(rules: readonly string[]): string {
  const words = visibleText(rules.map(inWords).join(", "));
  if (words.length <= SHORT && !words.includes("\n")) return words;
  const [rule = ""] = rules;
  const tools = new Set(rules.map((each) => /^\w+/.exec(each)?.[0]));
  const isAll = (...names: string[]) => [...tools].every((tool) => names.includes(tool ?? ""));
  if (isAll("Bash")) return rules.length === 1 ? "this command" : `these ${rules.length} commands`;
  if (isAll("Edit", "Write")) return rules.length === 1 ? "edits of this file" : `edits of ${rules.length} files`;
  return rules.length === 1
    ? `this call of ${visibleText(/^\w+/.exec(rule)?.[0] ?? "the tool")}`
    : `these ${rules.length} rules`;
}

/** The full list of what the answers cover; empty when their labels already say all of it. */
function listOf(rules: readonly string[]): DisplayAction[] {
  const words = visibleText(rules.map(inWords).join(", "));
  if (rules.length === 0 || coveredBy(rules) === words) return [];
  return [
    notice(`What the other answers allow:\n${rules.map((rule) => `- ${visibleText(inWords(rule))}`).join("\n")}`),
  ];
}

function optionsFor(rules: readonly string[], offersEdits: boolean): RequestOption[] {
  const once: RequestOption = { value: "y", label: "yes, this once", kind: "allow_once" };
  const no: RequestOption = { value: "n", label: "no (you can add a reason)", kind: "reject_once" };
  const kind = "allow_always";
  const session = { kind, needs: "set_permission" } as const;
  const edits: RequestOption = { value: "m", label: "yes, and all edits in this session (mode edits)", ...session };
  const covered = coveredBy(rules);
  const lasting: RequestOption[] = [
    { value: "s", label: `yes, and in this session: ${covered}`, ...session },
    { value: "a", label: `always in this project: ${covered}`, kind, lasting: true },
    ...(rules.some(isOfThisProject)
      ? []
      : [{ value: "e", label: `always in every project: ${covered}`, kind, lasting: true } as const]),
  ];
  return [once, ...(offersEdits ? [edits] : []), ...(rules.length > 0 ? lasting : []), no];
}

/** Whether a rule names files by their paths in this project, which are other files elsewhere. */
function isOfThisProject(rule: string): boolean {
  return /^(Edit|Write|Read)\((?![~/])/.test(rule);
}

/** Shows the exact command or the change to the file. Control characters are made visible, so that nothing can hide text. */
async function bodyOf({ toolCall, args, typedBy }: ToolCallInput, ctx: Context): Promise<DisplayAction[]> {
  const { file_path: path, ...besidesPath } = args as { file_path?: unknown };
  if (toolCall.name === "Read" && typeof path === "string")
    return [notice(visiblePath(path)), ...linesFor(besidesPath)];
  const { url, ...besidesUrl } = args as { url?: unknown };
  if (toolCall.name === "WebFetch" && typeof url === "string")
    return [notice(visibleText(url)), ...linesFor(besidesUrl)];
  const files: ExecutorFiles | undefined = filesOf(ctx);
  const { changeOf, argumentsBesidesDiff } = await import("./change.ts");
  const { command, ...rest } = args as { command?: unknown; cwd?: unknown };
  const change = (given: unknown) => changeOf(toolCall.name, given, requiredWorkspace({ ctx }), files);
  if (typeof command !== "string") {
    const shown = await change(args);
    return shown.display === "diff" ? [shown, ...linesFor(argumentsBesidesDiff(args))] : [shown];
  }
  const line = notice(`$ ${visibleText(command)}`);
  if (toolCall.name !== "Bash") return [line, await change(rest)];
  // For a call that a person typed, only the command is theirs; all other arguments are the same for every shell line.
  if (typedBy !== undefined) return [line];
  const { cwd, ...others } = rest;
  return typeof cwd === "string"
    ? [line, notice(`in ${visiblePath(cwd)}`), ...linesFor(others)]
    : [line, ...linesFor(rest)];
}

/** Arguments that nothing else in the question shows, each with its name, since they may change what the call does. */
function linesFor(args: object): DisplayAction[] {
  return Object.entries(args).map(([name, value]) =>
    notice(`${visibleName(name)}: ${visibleText(JSON.stringify(value) ?? "")}`),
  );
}

/**
 * A notice for a command in the background. A rule for a command also covers it in the background, so whoever is asked
 * should know.
 */
function backgroundOf({ toolCall, args }: ToolCallInput, rules: readonly string[]): DisplayAction[] {
  const { background } = args as { background?: unknown };
  if (toolCall.name !== "Bash" || background !== true) return [];
  const either = rules.length > 0 ? " The other answers allow it there and in the foreground." : "";
  return [notice(`It runs in the background, until it ends or the session does.${either}`)];
}

function notice(text: string): DisplayAction {
  return { display: "notice", level: "info", text };
}
