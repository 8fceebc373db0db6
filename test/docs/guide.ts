import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scratch } from "../e2e/scorel.ts";
import { root } from "./source.ts";

const blocks = /^```toml\n((?:(?!^```).*\n)*)```$|^```sh\n((?:(?!^```).*\n)*)```\n\n```text\n((?:(?!^```).*\n)*)```$/gm;

/**
 * Returns a guide with new outputs: runs the commands of every shell block, and replaces ids of sessions and events by
 * the current ones. TOML blocks become the user's config.toml, with the server at `baseUrl` in place of the guide's
 * server. TypeScript blocks become extensions of the user.
 */
export function play(text: string, home: Scratch, baseUrl: string): string {
  writeShim(home);
  // Written before the first session, because an extension that is saved while tools run, or right after, needs a
  // confirmation.
  for (const [, source = ""] of text.matchAll(/^```ts\n((?:(?!^```).*\n)*)```$/gm))
    home.file(`~/.scorel/extensions/${/\bid: "(.+)"/.exec(source)?.[1]}.ts`, source);
  const written = sessionIn(text);
  let present = written;
  const names = new Map<string, string>();
  const played = text.replaceAll(blocks, (block, toml?: string, command = "", shown = "") => {
    if (toml !== undefined) home.file("~/.scorel/config.toml", toml.replace(local, baseUrl));
    if (toml !== undefined) return block;
    const output = run(withNames(commandNow(command, written, present), names), home).replaceAll(baseUrl, local);
    if (command.startsWith("scorel session list")) present = sessionIn(output) || present;
    for (const [index, name] of namesIn(shown).entries()) names.set(name, namesIn(output)[index] ?? name);
    return `\`\`\`sh\n${command}\`\`\`\n\n\`\`\`text\n${output}\`\`\``;
  });
  return withNames(withId(played, written, present), names);
}

/** The address of the guide's own model server. */
const local = "http://127.0.0.1:11434/v1";

/** Replaces ids, times, checksums, sizes and temporary paths, so that texts with the same facts are equal. */
export function comparable(text: string): string {
  const names = new Map(namesIn(text).map((name, index) => [name, `<name ${index + 1}>`]));
  return withNames(withId(text, sessionIn(text), "<session>"), names)
    .replaceAll(/\/tmp\/scorel-demo-\w+/g, "<repository>")
    .replaceAll(/"(crc|version)":"[0-9a-f]+"/g, '"$1":"<sum>"')
    .replaceAll(/^([0-9a-f]{8}) \1$/gm, "<sum> twice")
    .replaceAll(/\b(?=\w*\d|\w*[a-z][A-Z])[A-Za-z0-9]{16}\b/g, "<id>")
    .replaceAll(/\b1[0-9]{12}\b/g, "<time>")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "<date>")
    .replaceAll(/^(trusted|changed|dev) {2}\d{4}-\d\d-\d\d/gm, "$1  <day>")
    .replaceAll(/\b\d+\.\d s\b/g, "<seconds>")
    .replaceAll(/\b\d+ bytes\b/g, "<n> bytes");
}

/** The names of events in drawn trees, and of new sessions, in the order of first appearance. */
function namesIn(text: string): string[] {
  const found = text.matchAll(/^[│├─ ]*[○●·┄] (\w{4,16}) {2}|^New session (\w{16})$/gm);
  return [...new Set(Array.from(found, ([, event, session]) => (event ?? session) as string))];
}

/**
 * Replaces the old names of events and sessions in a text by the new ones, also where a word shows more characters of
 * the same id.
 */
function withNames(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\b[A-Za-z0-9]{4,16}\b/g, (word) => {
    const name = names.has(word) ? word : [...names.keys()].find((each) => word.length === 8 && word.startsWith(each));
    return name === undefined ? word : (names.get(name) as string);
  });
}

/** The id at the start of a line of `scorel session list`. */
function sessionIn(text: string): string {
  return /^([A-Za-z0-9]{16}) {2}\d{4}-/m.exec(text)?.[1] ?? "";
}

function commandNow(command: string, written: string, present: string): string {
  return withId(command.replace(/^npm start$/m, "scorel demo"), written, present);
}

/** Replaces beginnings of an id with at least four characters by the same beginning of the other id. */
function withId(text: string, from: string, to: string): string {
  if (from === "") return text;
  const words = /\b[A-Za-z0-9]{4,16}\b/g;
  return text.replaceAll(words, (word) => (from.startsWith(word) ? to.slice(0, word.length) : word));
}

/** Both output streams in the order in which they were written, as in a terminal. */
function run(command: string, { home, project }: Scratch): string {
  const env = { PATH: `${join(home, "bin")}:${process.env.PATH}`, HOME: home, LANG: "C.UTF-8", TZ: "UTC" };
  const { stdout } = spawnSync("sh", ["-c", `exec 2>&1\n${command}`], { cwd: project, env, encoding: "utf8" });
  return stdout.replaceAll(home, "/home/you").replaceAll(project, "/home/you/shop");
}

/** Puts `scorel` on the PATH, as an installation does. */
function writeShim({ home }: Scratch): void {
  const shim = join(home, "bin", "scorel");
  mkdirSync(join(home, "bin"), { recursive: true });
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/bin.js")}" "$@"\n`);
  chmodSync(shim, 0o755);
}
