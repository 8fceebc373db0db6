import { messageOf, newId } from "@scorel/kernel";
import { typedPath } from "@scorel/kit/files/typed-path";
import type { AttachedContent, Mention, UserMessage } from "@scorel/messages/contract";
import { callable } from "../executor.ts";
import type { Mentions } from "../mentions.ts";
import { isAboutPath, type Refusal, whyClosed } from "./closed.ts";
import { type Attached, attachFile, attachFolder, type Named, refused, refusedBy } from "./read.ts";
import { type Sourced, sourceOf } from "./sources.ts";
import { type Mentioned, mentionsIn } from "./words.ts";

/** The most files that one message can attach. The first one beyond is named, the others are not. */
const MOST = 20;
/** The most words of a message that are looked up although they may be anything, such as those of pasted code. */
const MOST_WORDS = 200;

type Content = Exclude<UserMessage["content"], string>;

/**
 * Attaches the files that a message mentions, and the content of other plugins' sources (see `MentionSource`). Only the first text block is
 * searched: clients add other text in further blocks, such as piped input. Undefined if nothing is mentioned.
 */
export async function attach(
  content: UserMessage["content"],
  mentions: Mentions,
  signal?: AbortSignal,
): Promise<AttachedContent | undefined> {
  const typed = typeof content === "string" ? content : (content.find((block) => block.type === "text")?.text ?? "");
  const blocks: Content = [];
  const told: Mention[] = [];
  let words = 0;
  for (const mentioned of mentionsIn(typed)) {
    if (told.length > MOST) break;
    const source = sourceOf(mentioned, mentions);
    if (!source && !mentioned.isPath && ++words > MOST_WORDS) continue;
    const named = source ?? (await fileNamed(mentioned, mentions));
    if (!named && !mentioned.isPath) continue;
    const { mention, content: attached } = await attachedOf(named, mentioned, told.length, mentions, signal);
    told.push(mention);
    blocks.push(...attached.map((block) => ({ ...block, attachment: true as const })));
  }
  if (told.length === 0) return undefined;
  const given: Content = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { content: [...given, ...blocks], mentions: told };
}

async function attachedOf(
  named: Named | Refusal | Sourced | undefined,
  { forms }: Mentioned,
  count: number,
  mentions: Mentions,
  signal: AbortSignal | undefined,
): Promise<Attached> {
  const path = (named && "path" in named ? named.path : forms.at(-1)?.path) ?? "";
  const refuse = (problem: string) => refused(path, problem);
  if (count >= MOST) return refuse(`a message can attach ${MOST} files, and nothing from here on is attached`);
  if (!named) return refuse("there is no such file");
  if ("attach" in named) return named.attach(signal);
  if ("why" in named) return refusedBy(named, path, "Read");
  try {
    const call = { id: `mention${newId()}`, signal };
    return await (named.kind === "folder" ? attachFolder(named, call, mentions) : attachFile(named, call, mentions));
  } catch (thrown) {
    signal?.throwIfAborted();
    return refuse(messageOf(thrown));
  }
}

/** The file or folder that is meant: the first form that exists, or a refusal if nothing may be disclosed about a form. */
async function fileNamed({ forms }: Mentioned, mentions: Mentions): Promise<Named | Refusal | undefined> {
  const { cwd, home } = mentions.workspace();
  const files = callable(mentions.ctx);
  let closed: Refusal | undefined;
  for (const { path, lines } of forms) {
    if (path.includes("\0")) continue;
    const full = typedPath(path, cwd, home);
    try {
      const refusal = await whyClosed(full, mentions);
      closed ??= refusal;
      if (refusal) continue;
      const kind = (await files?.stat(full))?.kind;
      if (kind === "file" || kind === "folder") return { path, full, kind, ...(lines && { lines }) };
    } catch (thrown) {
      // This reading cannot be a path, so another one is meant.
      if (!isAboutPath(thrown)) throw thrown;
    }
  }
  return closed;
}
