import { messageOf } from "@scorel/kernel";
import type { MentionSource } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Mentions } from "../mentions.ts";
import { type Attached, attachedText, refused } from "./read.ts";
import type { Mentioned } from "./words.ts";

/** A mention that belongs to a source of another plugin. */
export interface Sourced {
  /** The text after the `@`. */
  path: string;
  attach(signal: AbortSignal | undefined): Promise<Attached>;
}

/** The source that a mention belongs to; undefined for none. Punctuation after the word is ignored. */
export function sourceOf({ forms }: Mentioned, { ctx }: Mentions): Sourced | undefined {
  const words = forms.filter(({ isOfFile }) => !isOfFile).map(({ path }) => path);
  for (const { plugin, value } of ctx.collect("mentionSources", sourcesIn))
    for (const source of value) {
      const takes = (word: string) =>
        ctx.attempt({ plugin, where: "takes of mentionSources", otherwise: false }, () => source.takes(word));
      const path = words.findLast(takes);
      if (path !== undefined) return { path, attach: (signal) => attached(source, { path, plugin, ctx, signal }) };
    }
  return undefined;
}

/** The suggestions of all sources that contain the query: `first` begin with it, then `others`. */
export function suggested(query: string, { ctx }: Pick<Mentions, "ctx">): { first: string[]; others: string[] } {
  const typed = query.toLowerCase();
  if (typed === "") return { first: [], others: [] };
  const all = ctx.collect("mentionSources", sourcesIn).flatMap(({ plugin, value }) =>
    value.flatMap((source) => {
      const where = "suggest of mentionSources";
      return ctx.attempt<readonly string[]>({ plugin, where, otherwise: [] }, () => textsOf(source, plugin));
    }),
  );
  const matching = all.filter((word) => word.toLowerCase().includes(typed));
  const isFirst = (word: string) => word.toLowerCase().startsWith(typed);
  return { first: matching.filter(isFirst), others: matching.filter((word) => !isFirst(word)) };
}

function textsOf(source: MentionSource, plugin: string): readonly string[] {
  const words: unknown = source.suggest?.() ?? [];
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  throw errors.MENTIONS_SOURCE({ plugin });
}

function sourcesIn(value: unknown, plugin: string, report: (thrown: unknown) => void): readonly MentionSource[] {
  if (!Array.isArray(value)) throw errors.MENTIONS_SOURCE({ plugin });
  const usable = value.filter(isSource);
  if (usable.length < value.length) report(errors.MENTIONS_SOURCE({ plugin }));
  return usable;
}

function isSource(value: unknown): value is MentionSource {
  const { takes, attach, suggest } = Object(value) as Partial<MentionSource>;
  const canSuggest = suggest === undefined || typeof suggest === "function";
  return typeof takes === "function" && typeof attach === "function" && canSuggest;
}

interface Request extends Pick<Mentions, "ctx"> {
  path: string;
  plugin: string;
  signal: AbortSignal | undefined;
}

/** Attaches the blocks of a source: texts in a fence, as for files, and pictures unchanged. */
async function attached(source: MentionSource, { path, plugin, ctx, signal }: Request): Promise<Attached> {
  try {
    const given = await ctx.calls.run(plugin, "attach of mentionSources", () => source.attach(path, signal));
    const content = given.map((block) => (block.type === "text" ? attachedText(path, block.text) : block));
    return { mention: { path, kind: "file" }, content };
  } catch (thrown) {
    signal?.throwIfAborted();
    return refused(path, messageOf(thrown));
  }
}
