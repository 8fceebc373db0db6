import { type BaseContext, perPlugin } from "@scorel/kernel";
import type { Asking, Choice, OptionKind, Question, RequestOption, Ui } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Notices } from "./notices.ts";
import type { Requests } from "./requests.ts";
import { oneLine } from "./words.ts";

const TITLE = 500;
const LABEL = 200;
const KINDS: readonly OptionKind[] = ["allow_once", "allow_always", "reject_once", "reject_always"];

interface Parts {
  requests: Requests;
  notices: Notices;
}

/** Creates the service `ui`. Each plugin uses it under its own name; its questions and its status end when it stops. */
export function createUi(parts: Parts, own: BaseContext): Ui {
  return Object.assign(uiFor(own, parts), {
    [perPlugin]: (context: BaseContext) => uiFor(context, parts),
  });
}

/** The cost of a visible message, which uses up more of a plugin's allowance than an event. */
const SHOWN = { told: 50 };

function uiFor(context: BaseContext, { requests, notices }: Parts): Ui {
  const { plugin, signal: stopped } = context;
  stopped.addEventListener(
    "abort",
    () => {
      notices.status(context, undefined);
      notices.panel(plugin, undefined);
      requests.forget(plugin);
    },
    { once: true },
  );
  const ask = async <V>(question: Question, { details, signal }: Asking<V>): Promise<string | null> => {
    context.spend("ui", SHOWN);
    const { answer } = stopped.aborted
      ? { answer: null }
      : await requests.ask(
          plugin,
          { ...question, ...(details !== undefined && { body: bodyOf(details) }) },
          { signal },
        );
    return answer ?? question.fallback ?? null;
  };
  return {
    get attended() {
      return requests.attended;
    },
    async select<V extends string>(title: string, choices: readonly Choice<V>[], asking: Asking<V> = {}) {
      const options = optionsOf(title, choices);
      const fallback = fallbackIn(title, options, asking.default);
      return ((await ask({ ...titled("select", title), options, ...fallback }, asking)) ?? undefined) as V;
    },
    async confirm(title, asking = {}) {
      return (await ask({ ...titled("confirm", title), fallback: asking.default ? "y" : "n" }, asking)) === "y";
    },
    async input(title: string, asking: Asking<string> = {}) {
      const fallback = asking.default === undefined ? {} : { fallback: String(asking.default) };
      return ((await ask({ ...titled("input", title), ...fallback }, asking)) ?? undefined) as string;
    },
    notify: (text, level = "info") => {
      context.spend("ui.notify", SHOWN);
      notices.notify(plugin, level, text);
    },
    status: (text) => {
      context.spend("ui.status", { told: 1 });
      if (!stopped.aborted) notices.status(context, text);
    },
    panel: (lines) => {
      context.spend("ui.panel", { told: 1 });
      if (!stopped.aborted) notices.panel(plugin, lines);
    },
  };
}

function titled(kind: Question["kind"], title: string): Question {
  return { kind, title: oneLine(title, TITLE) };
}

function bodyOf(details: NonNullable<Asking<unknown>["details"]>): Question["body"] {
  if (typeof details !== "string") return [...details];
  return [{ display: "notice", level: "info", text: details }];
}

/** Checks the choices, since JavaScript callers are not type-checked. Throws REQUEST_CHOICES. */
function optionsOf(title: string, choices: readonly Choice<string>[]): RequestOption[] {
  const fail = (reason: string) => errors.REQUEST_CHOICES({ title: oneLine(title, TITLE), reason });
  if (!Array.isArray(choices) || choices.length === 0) throw fail("it offers no answer");
  const options = (choices as readonly Choice<string>[]).map((choice) => {
    const {
      value,
      label = value,
      kind,
      lasting,
      needs,
    } = typeof choice === "string" ? ({ value: choice } as RequestOption) : choice;
    if (typeof value !== "string" || value.trim() === "") throw fail("one of its answers is not a text");
    if (kind !== undefined && !KINDS.includes(kind))
      throw fail(`the kind of "${value}" is not one of ${KINDS.join(", ")}`);
    if (needs !== undefined && (typeof needs !== "string" || needs === ""))
      throw fail(`what "${value}" needs is not the name of an operation`);
    return {
      ...{ value, label: oneLine(label, LABEL) },
      ...(kind && { kind }),
      ...(lasting === true && { lasting }),
      ...(needs !== undefined && { needs }),
    };
  });
  if (new Set(options.map(({ value }) => value)).size < options.length) throw fail("two of its answers are the same");
  return options;
}

function fallbackIn(title: string, options: readonly RequestOption[], fallback: string | undefined) {
  if (fallback === undefined) return {};
  if (options.some(({ value }) => value === fallback)) return { fallback };
  throw errors.REQUEST_CHOICES({
    title: oneLine(title, TITLE),
    reason: `its default "${fallback}" is not one of its answers`,
  });
}
