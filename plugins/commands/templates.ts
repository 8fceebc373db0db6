import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { realOf } from "@scorel/kit/files/paths";
import type { Workspace } from "@scorel/workspace/contract";
import type { SlashCommand } from "./contract.ts";
import { errors } from "./errors.ts";

/** Maximum size of a template file in bytes. */
const LARGEST = 64 * 1024;
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
 * Files are read on every call, so edits take effect at once. `tooMany` is called for each folder with more files than are used.
 */
export function templates(workspace: Workspace | undefined, tooMany: (flaw: Error) => void): Template[] {
  if (!workspace) return [];
  const { home, root, trusted, trustedCopy: copy } = workspace;
  const claude = join(root, ".claude", "commands");
  const own = { folder: join(home, ".scorel", "commands"), shown: undefined };
  const theirs =
    trusted === undefined || copy === undefined
      ? []
      : [
          { folder: join(copy.root, ".claude", "commands"), shown: claude },
          { folder: join(copy.scorel, "commands"), shown: join(trusted, "commands") },
        ];
  return [own, ...theirs].flatMap(({ folder, shown }) => {
    const { files, leftOut } = filesBelow(folder);
    if (leftOut > 0) tooMany(errors.COMMAND_FILES({ folder: shown ?? folder, most: MOST, leftOut }));
    return files.map(({ path, name }) => {
      const plugin = shown === undefined ? path : join(shown, `${name.split(":").join(sep)}.md`);
      return { name, plugin, command: fromFile(path) };
    });
  });
}

/** Finds Markdown files inside the folder; `a/b.md` becomes the command `a:b`. Files beyond the limit are counted in `leftOut`. */
function filesBelow(folder: string): { files: { path: string; name: string }[]; leftOut: number } {
  const real = realOf(folder);
  if (real === undefined) return { files: [], leftOut: 0 };
  const entries = readdirSync(real, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && path.split(sep).length <= DEEPEST)
    .sort();
  const files = entries
    .slice(0, MOST)
    .map((path) => ({ path: join(real, path), name: path.slice(0, -3).split(sep).join(":") }))
    .filter(({ path, name }) => /^[A-Za-z][\w:-]*$/.test(name) && isOwnFile(path));
  return { files, leftOut: Math.max(0, entries.length - MOST) };
}

/** True for a small regular file that is not reached through a link. */
function isOwnFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= LARGEST && realOf(dirname(path)) === dirname(path);
}

function fromFile(path: string): SlashCommand {
  const { description, hint, body } = parse(readFileSync(path, "utf8"));
  return {
    summary: [description || firstLine(body), hint].filter(Boolean).join(" "),
    operations: ["send_message"],
    async run(args: string, { sessionId, request }) {
      const { id } = await request("send_message", { sessionId, content: fill(body, args) });
      return { turn: id };
    },
  };
}

/**
 * Parses a template. Only `description` and `argument-hint` of the front matter are used; tools and models there have
 * no effect.
 */
function parse(text: string): { description: string; hint: string; body: string } {
  const [whole = "", matter = ""] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text) ?? [];
  const value = (key: string) =>
    new RegExp(`^${key}:[ \\t]*(.*)$`, "m")
      .exec(matter)?.[1]
      ?.trim()
      .replace(/^(["'])(.*)\1$/, "$2") ?? "";
  return { description: value("description"), hint: value("argument-hint"), body: text.slice(whole.length).trim() };
}

function firstLine(body: string): string {
  return (body.split("\n", 1)[0] ?? "").replace(/^#+\s*/, "").slice(0, 80);
}

/**
 * Inserts arguments: `$ARGUMENTS` is everything, `$1` to `$9` are words. Without a placeholder, the arguments are
 * appended.
 */
function fill(body: string, args: string): string {
  const words = (args.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"));
  const places = /\$(ARGUMENTS|[1-9])(?![0-9A-Za-z_])/g;
  if (!places.test(body)) return args === "" ? body : `${body}\n\n${args}`;
  return body.replace(places, (_place, which: string) =>
    which === "ARGUMENTS" ? args : (words[Number(which) - 1] ?? ""),
  );
}
