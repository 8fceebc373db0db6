import { isUtf8 } from "node:buffer";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Operations } from "@scorel/host/contract";
import { codeOf, messageOf, newId } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { FileContent } from "@scorel/local/contract";
import { isAboutPath } from "../attach/closed.ts";
import { errors } from "../errors.ts";
import { callable } from "../executor.ts";
import type { Mentions } from "../mentions.ts";

/** The most bytes of a file that is shown. */
const MAX_BYTES = 2 ** 20;

type View = Operations["view_file"];

/**
 * Returns the text of a project file. Shows only files that the model may read without a question, in any permission mode: no files that
 * rules deny or ask about, and none of git's own.
 */
export async function viewFile({ path }: Pick<View["params"], "path">, mentions: Mentions): Promise<View["result"]> {
  const { ctx, workspace } = mentions;
  if (path.includes("\0")) throw errors.MENTIONS_NONE({ path });
  const files = callable(ctx);
  if (!files) throw errors.MENTIONS_CLOSED({ path, why: "this session has no files" });
  const { cwd, root } = workspace();
  const full = isAbsolute(path) ? path : join(cwd, path);
  const [real, realRoot] = await Promise.all([realOf(full, path, mentions), files.realpath(root)]);
  if (!isWithin(realRoot, real)) throw errors.MENTIONS_OUTSIDE({ path });
  // Both paths are checked: a rule may name the link, and a link may lead to a file that a rule denies.
  for (const each of new Set([full, real])) await assertOpen(each, realRoot, path, mentions);
  const content = await contentOf(real, path, mentions);
  const shown = relative(realRoot, real).split(sep).join("/");
  if (typeof content === "number") return { path: shown, bytes: content, problem: "large" };
  const bytes = Buffer.from(content.bytes);
  if (bytes.includes(0) || !isUtf8(bytes)) return { path: shown, bytes: content.size, problem: "binary" };
  const text = ctx.find("secrets")?.redact(bytes.toString()) ?? bytes.toString();
  return { path: shown, bytes: content.size, text };
}

async function realOf(full: string, path: string, { ctx }: Mentions): Promise<string> {
  try {
    return (await callable(ctx)?.realpath(full)) ?? full;
  } catch (thrown) {
    // An impossible path gets the same error as a path outside, so that the error reveals nothing about other files.
    if (isAboutPath(thrown)) throw errors.MENTIONS_OUTSIDE({ path }, { cause: thrown });
    throw thrown;
  }
}

/** Throws MENTIONS_CLOSED if a file may not be shown, before it is checked whether the file exists. */
async function assertOpen(name: string, realRoot: string, path: string, { ctx }: Mentions): Promise<void> {
  const parts = relative(realRoot, name).split(sep);
  if (parts.some((part) => part.toLowerCase() === ".git"))
    throw errors.MENTIONS_CLOSED({ path, why: "it belongs to git" });
  const permissions = ctx.find("permissions");
  if (!permissions) return;
  const id = `view${newId()}`;
  const verdict = await permissions.judgeNamed({ id, tool: "Read", args: { file_path: name } });
  permissions.takeReads(id);
  if (verdict.decision !== "allow") throw errors.MENTIONS_CLOSED({ path, why: verdict.why });
  const hides = await permissions.hiddenIn(realRoot, "contents");
  if (hides(name)) throw errors.MENTIONS_CLOSED({ path, why: "reading it needs a question" });
}

/** The content of a file, or its number of bytes if it is larger than `MAX_BYTES`. */
async function contentOf(real: string, path: string, { ctx }: Mentions): Promise<FileContent | number> {
  const files = callable(ctx);
  const info = await files?.stat(real);
  if (!files || !info) throw errors.MENTIONS_NONE({ path });
  if (info.kind !== "file") throw errors.MENTIONS_CLOSED({ path, why: "it is no regular file" });
  if (info.size > MAX_BYTES) return info.size;
  try {
    return await files.read(real, { maxBytes: MAX_BYTES });
  } catch (thrown) {
    if (codeOf(thrown) === "EFBIG") return Math.max(info.size, MAX_BYTES + 1);
    if (codeOf(thrown) === "ENOENT") throw errors.MENTIONS_NONE({ path }, { cause: thrown });
    throw errors.MENTIONS_CLOSED({ path, why: messageOf(thrown) }, { cause: thrown });
  }
}
