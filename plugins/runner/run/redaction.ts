import type { RunnerContext } from "../config.ts";

/** Characters of the shortest value that is redacted; shorter ones would occur in text by chance. */
const SHORTEST_SECRET = 4;
const PLACEHOLDER = "[redacted]";

/**
 * Removes secrets from text that arrives in chunks. Text that may be the start of a secret is held back until the next chunk.
 */
export interface Redactor {
  write(chunk: string): string;
  end(): string;
}
/** Redacts known secrets and the values of variables that were given to a skill's programs. */
export interface Redaction {
  hide(text: string): string;
  redactor(): Redactor;
}

/** Creates the redaction for a run: of secrets known to the session, and of these values if they are long enough. */
export function redactionFor(ctx: Pick<RunnerContext, "find">, values: readonly string[]): Redaction {
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

/**
 * Redacts these values. They are sorted longest first, so that a value that starts with another one is redacted as a
 * whole.
 */
function mask(values: readonly string[]): Redactor {
  let pending = "";
  return {
    write(chunk) {
      const { ready, from, text } = split(pending + chunk, values);
      pending = text.slice(from);
      return ready;
    },
    end() {
      const rest = values.reduce((all, value) => all.replaceAll(value, PLACEHOLDER), pending);
      pending = "";
      return rest;
    },
  };
}

/** Splits text into a redacted part that is ready, and a rest, from index `from`, that must wait. */
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

/** The first index in `from..to` at which the rest of the text may be the start of a value. */
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
