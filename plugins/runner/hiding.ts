import type { RunnerContext } from "./config.ts";

/** Shorter values occur by chance. */
const SHORTEST_SECRET = 4;
const PLACEHOLDER = "[redacted]";

/** Takes secrets out of text that arrives in pieces; what could be the beginning of one waits for the next piece. */
export interface Redactor {
  write(chunk: string): string;
  end(): string;
}
/** Keeps the known secrets, and the values of variables that a skill's programs get, from whoever reads. */
export interface Hiding {
  hide(text: string): string;
  redactor(): Redactor;
}

export function hiding(ctx: Pick<RunnerContext, "find">, values: readonly string[]): Hiding {
  const hidden = values.filter(({ length }) => length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  const secrets = ctx.find("secrets");
  return {
    hide: (text) => hidden.reduce((all, value) => all.replaceAll(value, PLACEHOLDER), secrets?.redact(text) ?? text),
    redactor: () => (secrets ? joined(secrets.redactor(), mask(hidden)) : mask(hidden)),
  };
}

function joined(first: Redactor, second: Redactor): Redactor {
  return {
    write: (chunk) => second.write(first.write(chunk)),
    end: () => second.write(first.end()) + second.end(),
  };
}

/** `values`: the longest first, so that one that begins like another is taken out whole. */
function mask(values: readonly string[]): Redactor {
  let held = "";
  return {
    write(chunk) {
      const { ready, from, text } = split(held + chunk, values);
      held = text.slice(from);
      return ready;
    },
    end() {
      const rest = values.reduce((all, value) => all.replaceAll(value, PLACEHOLDER), held);
      held = "";
      return rest;
    },
  };
}

/** What can be told of a text, and from where on it has to wait. */
function split(text: string, values: readonly string[]): { ready: string; from: number; text: string } {
  let ready = "";
  for (let at = 0; ; ) {
    const found = first(text, at, values);
    const open = openAt(text, at, found?.at ?? text.length - 1, values);
    if (open !== undefined) return { ready: ready + text.slice(at, open), from: open, text };
    if (!found) return { ready: ready + text.slice(at), from: text.length, text };
    ready += text.slice(at, found.at) + PLACEHOLDER;
    at = found.at + found.length;
  }
}

function first(text: string, from: number, values: readonly string[]): { at: number; length: number } | undefined {
  const found = values.map((value) => ({ at: text.indexOf(value, from), length: value.length }));
  return found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0];
}

/** The first place in `from..to` from which the rest of the text could still become a value. */
function openAt(
  text: string,
  from: number,
  to: number,
  [longest = "", ...rest]: readonly string[],
): number | undefined {
  const values = [longest, ...rest];
  for (let at = Math.max(from, text.length - longest.length + 1); at <= to; at++) {
    const end = text.slice(at);
    if (values.some((value) => value.length > end.length && value.startsWith(end))) return at;
  }
  return undefined;
}
