import { type Dirent, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { realOf } from "@scorel/kit/files/paths";
import { parseFrontMatter } from "@scorel/kit/markdown/front-matter";
import { beginningOf } from "@scorel/kit/text/cut";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Workspace } from "@scorel/workspace/contract";
import type { SlashCommand } from "./contract.ts";
import { errors } from "./errors.ts";

/** Maximum size of a template file in bytes. */
const LARGEST = 64 * 1024;
/** Maximum number of unused files in a folder that a message explains one by one. */
const TOLD = 3;
/** The most files in a folder that are used, as many as skills. */
const MOST = 2_000;
const DEEPEST = 4;

interface Template {
  name: string;
  plugin: string;
  command: SlashCommand;
}

/**
 * Reads commands from Markdown files: the user's own and those of a trusted project; the project's override the user's.
 * Files are read on every call, so edits take effect at once. `tell` is called for each folder with more files than are used, or with files
 * that cannot be commands, and for what cannot be read; the other files are used.
 */
export async function templates(workspace: Workspace | undefined, tell: (flaw: Error) => void): Promise<Template[]> {
  if (!workspace) return [];
  const { home, root, trusted, trustedCopy: copy } = workspace;
  const claude = join(root, ".claude", "commands");
  const own = [".claude", ".scorel"].map((name) => ({ folder: join(home, name, "commands"), shown: undefined }));
  const theirs =
    trusted === undefined || copy === undefined
      ? []
      : [
          { folder: join(copy.root, ".claude", "commands"), shown: claude },
          { folder: join(copy.scorel, "commands"), shown: join(trusted, "commands") },
        ];
  const found = [...own, ...theirs].map(async ({ folder, shown }) => {
    const place = shown ?? folder;
    const skip = (path: string, thrown: unknown) =>
      tell(errors.COMMAND_UNREADABLE({ path: join(place, path), reason: codeOf(thrown) }));
    const { files, leftOut, flaws } = filesBelow(folder, skip);
    if (leftOut > 0) tell(errors.COMMAND_FILES({ folder: place, most: MOST, leftOut }));
    if (flaws.length > 0)
      tell(
        errors.COMMAND_UNUSED({ folder: place, flaws: flaws.slice(0, TOLD), more: Math.max(0, flaws.length - TOLD) }),
      );
    const commands = files.map(async ({ path, name, below }) => {
      const plugin = shown === undefined ? path : join(shown, below);
      const text = attempt(
        () => readFileSync(path, "utf8"),
        (thrown) => skip(below, thrown),
      );
      return text === undefined ? [] : [{ name, plugin, command: await commandIn(text) }];
    });
    return (await Promise.all(commands)).flat();
  });
  return (await Promise.all(found)).flat();
}

/** Called with the path of a file or folder below the folder of commands that cannot be read, and the error. */
type Skip = (below: string, thrown: unknown) => void;

/**
 * Finds Markdown files inside the folder; `a/b.md` becomes the command `a:b`. Files beyond the limit are counted in `leftOut`; `flaws` says why
 * others cannot be commands.
 */
function filesBelow(folder: string, skip: Skip) {
  const real = realOf(folder);
  if (real === undefined) return { files: [], leftOut: 0, flaws: [] };
  const entries = markdownBelow(real, "", DEEPEST, skip).sort();
  const flaws: string[] = [];
  const files = entries.slice(0, MOST).flatMap((below) => {
    const file = { path: join(real, below), name: below.slice(0, -3).split(sep).join(":"), below };
    const flaw = flawOf(file, skip);
    if (flaw === undefined) return [file];
    if (flaw !== "") flaws.push(`${lineOf(below)} ${flaw}`);
    return [];
  });
  return { files, leftOut: Math.max(0, entries.length - MOST), flaws };
}

/**
 * The paths of the Markdown files in a folder below `root` and in its subfolders, down to `depth`. No link is followed: it could lead to a
 * whole disk, or in a circle.
 */
function markdownBelow(root: string, folder: string, depth: number, skip: Skip): string[] {
  const read = () => readdirSync(join(root, folder), { withFileTypes: true });
  const entries: readonly Dirent[] = attempt(read, (thrown) => skip(folder, thrown)) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth > 1 ? markdownBelow(root, path, depth - 1, skip) : [];
    return path.endsWith(".md") ? [path] : [];
  });
}

function attempt<R>(work: () => R, failed: (thrown: unknown) => void): R | undefined {
  try {
    return work();
  } catch (thrown) {
    failed(thrown);
    return undefined;
  }
}

/** Why a file cannot be a command; "" if that is no mistake or was told already. Undefined if it can be one. */
function flawOf({ path, name, below }: { path: string; name: string; below: string }, skip: Skip): string | undefined {
  // The programs that make such files, such as editors, hide them.
  if (below.split(sep).some((part) => part.startsWith("."))) return "";
  if (!/^[A-Za-z][\w:-]*$/.test(name))
    return "needs a name that begins with an English letter and continues with letters, digits, - and _";
  const stat = attempt(
    () => lstatSync(path, { throwIfNoEntry: false }),
    (thrown) => skip(below, thrown),
  );
  if (!stat) return "";
  if (!stat.isFile()) return stat.isSymbolicLink() ? "is a link, which is not followed" : "is not a file";
  return stat.size > LARGEST ? `has more than ${LARGEST / 1024} KiB` : undefined;
}

async function commandIn(text: string): Promise<SlashCommand> {
  const { description, hint, body } = await parse(text);
  const asked = askedFor(body);
  return {
    summary: description || firstLine(body),
    hint,
    operations: ["send_message"],
    async run(args: string, { sessionId, request }) {
      const { id } = await request("send_message", { sessionId, content: fill(asked, args) });
      return { turn: id };
    },
  };
}

/**
 * Parses a template. Only `description` and `argument-hint` of the front matter are used; tools and models there have
 * no effect.
 */
async function parse(text: string): Promise<{ description: string; hint: string; body: string }> {
  const read = await parseFrontMatter(text);
  if ("reason" in read) return { description: "", hint: "", body: text.trim() };
  const value = (key: string) => fieldOf(read.fields.get(key)?.value);
  return { description: value("description"), hint: value("argument-hint"), body: read.body };
}

/** A value of a front matter on one line. `[file]`, a common hint, is a list in YAML. */
function fieldOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(fieldOf).join(", ")}]`;
  return typeof value === "string" ? lineOf(value) : "";
}

function firstLine(body: string): string {
  return beginningOf(lineOf((body.split("\n", 1)[0] ?? "").replace(/^#+\s*/, "")), 80);
}

/** Asks the model to run what another agent would run before it sends the text: nothing here runs without the model's tools and permissions. */
function askedFor(body: string): string {
  return body.replace(/(?<!\S)!`([^`\n]+)`/g, "(first run `$1`, and use its output here)");
}

/**
 * Inserts arguments: `$ARGUMENTS` is everything, `$1` to `$9` are words. Without a placeholder, the arguments are
 * appended.
 */
function fill(body: string, args: string): string {
  const words = (args.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"([^"]*)"$/, "$1"));
  const places = /\$(ARGUMENTS|[1-9])(?![0-9A-Za-z_])/g;
  if (!places.test(body)) return args === "" ? body : `${body}\n\n${args}`;
  return body.replace(places, (_place, which: string) =>
    which === "ARGUMENTS" ? args : (words[Number(which) - 1] ?? ""),
  );
}
