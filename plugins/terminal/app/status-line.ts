import type { Live, LiveCall, SessionView } from "@scorel/host/client";
import { attributed } from "@scorel/kit/text/attributed";
import type { Keys } from "../keys.ts";
import { shortTitle } from "../rows/card.ts";
import { secondsText } from "../rows/look.ts";
import { safeLine } from "../rows/safe.ts";
import { columnsIn, cut } from "../rows/wrap.ts";
import type { Role, Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";

export interface StatusParts {
  view: SessionView | undefined;
  theme: Theme;
  words: Words;
  keys: Keys;
  now: number;
  /** When the running turn or its present activity began, in milliseconds since 1970. */
  since: number;
  /** The session's directory, if the application was started in another one. */
  directory?: string | undefined;
  /** Whether the user may answer questions. Default: true. */
  mayAnswer?: boolean | undefined;
  /** Whether a slash command of this user runs, which the user can cancel. */
  isCommanding?: boolean | undefined;
  /** When a tool call began to run, after it was allowed. */
  startOf?: ((call: LiveCall) => number) | undefined;
}

const MODES: Readonly<Record<string, Role>> = { ask: "ask", edits: "edits", plan: "plan", full: "full" };
const SEPARATOR = " · ";

/** The present activity of the session as a line of text for above the field; undefined when it is idle. */
export function activityLine(parts: StatusParts, width: number): string | undefined {
  const text = activity(parts);
  if (text === undefined) return undefined;
  const { theme, words, keys } = parts;
  const isConnected = parts.view?.status.connection !== "reconnecting" && parts.view?.status.connection !== "closed";
  const isOwnSummary = parts.isCommanding === true && parts.view?.status.compacting === true;
  const isWorking = parts.view?.status.running || parts.view?.live.some(isShellLine) || isOwnSummary;
  const hint =
    isConnected && isWorking ? theme.style("muted", `${SEPARATOR}${words.toInterrupt(keys.label("interrupt"))}`) : "";
  // A long reason is cut, and never the key that ends the wait.
  return cut(cut(text, width - columnsIn(hint)) + hint, width);
}

function activity({
  view,
  theme,
  words,
  now,
  since,
  startOf = ({ ts }) => ts,
  mayAnswer = true,
}: StatusParts): string | undefined {
  const { status, live = [], requests = [] } = view ?? {};
  if (!status) return theme.style("muted", words.opening);
  const passed = secondsText(Math.max(0, now - since));
  const working = (text: string) => theme.style("accent", `${spinner(now)} `) + theme.style("muted", text);
  if (status.connection === "reconnecting")
    return theme.style(
      "warning",
      words.reconnecting(inSeconds(status.retry?.at, now), status.retry?.hostStopped === true),
    );
  if (status.connection === "closed")
    return theme.style("error", `${words.lost}${status.error ? `: ${safeLine(status.error.message)}` : ""}`);
  if (requests.length > 0) return theme.style("warning", mayAnswer ? words.waitingForYou : words.waitingForOthers);
  if (status.retrying) {
    const { attempt, of, until, reason } = status.retrying;
    return theme.style("warning", `${words.retrying(attempt, of, inSeconds(until, now))}: ${safeLine(reason)}`);
  }
  if (status.compacting) return working(words.compacting(passed));
  // While a turn runs, its work is shown here, and running shell lines are shown in the conversation only.
  const open = live.filter((each): each is LiveCall => each.kind === "call" && isShellLine(each) !== status.running);
  const running = open.filter(({ isWaiting }) => !isWaiting);
  const calls = running.length > 0 ? running : open;
  const [call] = calls;
  if (!status.running && !call) return undefined;
  if (call && calls.length === 1)
    return working(
      words.running(
        cut(shortTitle(call.display) || safeLine(call.toolName), 40),
        secondsText(Math.max(0, now - startOf(call))),
      ),
    );
  if (call) return working(words.runningSeveral(calls.length, secondsText(Math.max(0, now - startOf(call)))));
  const reply = live.find((each) => each.kind === "reply");
  if (reply?.text) return working(words.answering(secondsText(Math.max(0, now - reply.ts))));
  if (reply) return working(words.thinking(secondsText(Math.max(0, now - reply.ts))));
  return working(words.waitingForModel(passed));
}

function isShellLine(live: Live): boolean {
  return live.kind === "call" && live.typedBy !== undefined;
}

const TURNS = ["◐", "◓", "◑", "◒"];

/** A sign that changes with the time. It turns once in four seconds: more frames would only cost time. */
function spinner(now: number): string {
  return TURNS[Math.floor(now / 1000) % TURNS.length] as string;
}

function inSeconds(at: number | undefined, now: number): string {
  return at === undefined || at <= now ? "" : `${Math.ceil((at - now) / 1000)} s`;
}

/** The line below the field: the session's settings and usage. Parts that do not fit are left out, beginning with the last. */
export function statusLine({ view, theme, words, directory }: StatusParts, width: number): string {
  const status = view?.status;
  if (!status || !view) return "";
  const mode = modeOf(view);
  const model = status.model === undefined ? theme.style("error", words.noModel) : shortModel(status.model);
  const isThinking = status.thinks !== false && status.thinking !== undefined && status.thinking !== "off";
  const thinking = isThinking ? ` ${status.thinking}` : "";
  const share = status.context?.share;
  const cached = status.spent?.cachedShare;
  const parts = [
    mode === undefined ? "" : theme.style(MODES[mode] ?? "text", modeText(mode, words)),
    model + theme.style("muted", thinking),
    share === undefined ? "" : theme.style(share > 0.85 ? "warning" : "bar", words.context(percent(share))),
    theme.style("bar", costText(status)),
    cached === undefined || cached < 0.005 ? "" : theme.style("bar", words.cached(Math.round(100 * cached))),
    presetOf(view) === undefined ? "" : theme.style("bar", safeLine(presetOf(view) as string)),
    directory === undefined ? "" : theme.style("bar", safeLine(directory)),
    status.branch === undefined ? "" : theme.style("bar", `⎇ ${safeLine(status.branch)}`),
    theme.style("bar", safeLine(status.meta.name ?? status.meta.title ?? "")),
    ...status.texts.map((text) => theme.style("bar", safeLine(attributed(text)))),
  ].filter((part) => part !== "");
  return joined(parts, width, theme.style("faint", SEPARATOR));
}

function joined(parts: readonly string[], width: number, separator: string): string {
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : line + separator + part;
    if (columnsIn(longer) > width) return line === "" ? cut(part, width) : line;
    line = longer;
  }
  return line;
}

/** The session's permission mode; undefined while it is not known. */
export function modeOf(view: SessionView | undefined): string | undefined {
  const { permission, permissionDefault } = view?.status ?? {};
  return permission ?? permissionDefault;
}

/** The name of a permission mode in the language of the user. */
export function modeText(mode: string, words: Words): string {
  return { ask: words.ask, edits: words.edits, plan: words.plan, full: words.full }[mode] ?? mode;
}

/** The model without its provider. */
function shortModel(model: string): string {
  return safeLine(model.slice(model.indexOf("/") + 1));
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`;
}

/** The preset that the session was created with, if it is not the default one. */
export function presetOf(view: SessionView | undefined): string | undefined {
  const { preset } = (view?.status.meta ?? {}) as { preset?: unknown };
  return typeof preset === "string" && preset !== "" ? preset : undefined;
}

/** The cost of the session, as far as prices are known; `/cost` tells which are not. */
function costText({ spent, usage }: SessionView["status"]): string {
  if (spent) return spent.cost === undefined ? "" : dollars(spent.cost);
  return usage.cost > 0 ? dollars(usage.cost) : "";
}

function dollars(cost: number): string {
  return cost > 0 && cost < 0.01 ? "<$0.01" : `$${cost.toFixed(2)}`;
}
