import { type Finder, findersOf, type Place, startsOf } from "./find-values.ts";

const PLACEHOLDER = "[redacted]";
/**
 * The tokens of hosts (see the plugin web-server). They are recognised by their form, since they may belong to other computers or change
 * while a session is open. The pattern leaves out their first letter, "s": otherwise streamed text would be held back after each word
 * that ends in "s".
 */
export const HOST_TOKEN = /corel_[\w-]{43}/;
const HOST_TOKEN_LENGTH = 49;
const HOST_TOKEN_START = /^c(o(r(e(l(_[\w-]{0,42})?)?)?)?)?$/;

/** Replaces secrets in texts. */
export interface Mask {
  whole(text: string): string;
  /** Splits text into a safe part and an end that may be the start of a secret. */
  split(text: string): { ready: string; held: string };
}

/** Creates a mask for secrets of at least 8 characters, which must be sorted, the longest first. */
export function maskOf(values: readonly string[]): Mask {
  const longest = Math.max(values[0]?.length ?? 0, HOST_TOKEN_LENGTH);
  // If a secret and the token of a host begin at the same place, the secret is used.
  const finders = [...findersOf(values), hostTokenFinder()];
  const isStart = startsOf(values);
  return {
    whole(text) {
      let shown = "";
      let at = 0;
      for (const { from, to } of placesIn(text, finders)) {
        shown += text.slice(at, from) + PLACEHOLDER;
        at = to;
      }
      return shown + text.slice(at);
    },
    split(text) {
      let ready = "";
      let at = 0;
      const end = text.length - longest + 1;
      for (const { from, to } of placesIn(text, finders)) {
        const open = openAt(text, Math.max(at, end), from, isStart);
        if (open !== undefined) return { ready: ready + text.slice(at, open), held: text.slice(open) };
        ready += text.slice(at, from) + PLACEHOLDER;
        at = to;
      }
      const open = openAt(text, Math.max(at, end), text.length - 1, isStart);
      return { ready: ready + text.slice(at, open), held: open === undefined ? "" : text.slice(open) };
    },
  };
}

function hostTokenFinder(): Finder {
  const pattern = new RegExp(HOST_TOKEN.source, "g");
  return (text, at) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    return match ? { from: match.index, to: match.index + match[0].length } : undefined;
  };
}

/** The places of secrets in a text, in order. Of several that begin at the same index, the one of the first finder is used. */
function* placesIn(text: string, finders: readonly Finder[]): Generator<Place, undefined> {
  // Each finder searches again only from behind what it has found, so that it reads the text once.
  const next = finders.map((find) => ({ find, place: find(text, 0) }));
  for (;;) {
    let first: Place | undefined;
    for (const { place } of next) if (place && (!first || place.from < first.from)) first = place;
    if (!first) return;
    yield first;
    for (const each of next) if (each.place && each.place.from < first.to) each.place = each.find(text, first.to);
  }
}

/** Returns the first index in `from..to` where the rest of the text could be the start of a secret. */
function openAt(
  text: string,
  from: number,
  to: number,
  isStart: (text: string, at: number) => boolean,
): number | undefined {
  for (let at = from; at <= to; at++)
    if (isStart(text, at) || (text[at] === "c" && HOST_TOKEN_START.test(text.slice(at)))) return at;
  return undefined;
}
