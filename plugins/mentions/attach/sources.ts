import { messageOf } from "@scorel/kernel";
import type { MentionSource } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Mentions } from "../mentions.ts";
import { type Attached, fenced, refused } from "./read.ts";
import type { Mentioned } from "./words.ts";

/** What a source of another plugin is asked for. */
export interface Sourced {
  /** What stands after the `@`. */
  path: string;
  attach(signal: AbortSignal | undefined): Promise<Attached>;
}

/** The source that takes a mention; of a word and the punctuation behind it, the word alone counts. */
export function sourceOf({ forms }: Mentioned, { ctx }: Mentions): Sourced | undefined {
  const words = forms.map(({ path }) => path);
  for (const { plugin, value } of ctx.collect("mentionSources", sourcesIn))
    for (const source of value) {
      const takes = (word: string) =>
        ctx.guard({ plugin, where: "takes of mentionSources", otherwise: false }, () => source.takes(word));
      const path = words.findLast(takes);
      if (path !== undefined) return { path, attach: (signal) => attached(source, { path, plugin, ctx, signal }) };
    }
  return undefined;
}

function sourcesIn(value: unknown, plugin: string, report: (thrown: unknown) => void): readonly MentionSource[] {
  if (!Array.isArray(value)) throw errors.MENTIONS_SOURCE({ plugin });
  const usable = value.filter(isSource);
  if (usable.length < value.length) report(errors.MENTIONS_SOURCE({ plugin }));
  return usable;
}

function isSource(value: unknown): value is MentionSource {
  const { takes, attach } = Object(value) as Partial<MentionSource>;
  return typeof takes === "function" && typeof attach === "function";
}

interface Request extends Pick<Mentions, "ctx"> {
  path: string;
  plugin: string;
  signal: AbortSignal | undefined;
}

/** Texts in a fence as those of files are, and pictures as they are. */
async function attached(source: MentionSource, { path, plugin, ctx, signal }: Request): Promise<Attached> {
  try {
    const given = await ctx.calls.run(plugin, "attach of mentionSources", () => source.attach(path, signal));
    const content = given.map((block) => (block.type === "text" ? fenced(path, block.text) : block));
    return { mention: { path, kind: "file" }, content };
  } catch (thrown) {
    signal?.throwIfAborted();
    return refused(path, messageOf(thrown));
  }
}
