import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inventory, type Planned } from "./inventory.ts";
import { random } from "./random.ts";
import { Writer } from "./writer.ts";

/**
 * Writes a generated collection of skills to a folder, with as many skills as the public one and of the same sizes. The
 * same seed gives the same bytes. A `scale` below 1 makes texts shorter, not fewer.
 */
export function writeCollection(folder: string, { seed = 1, scale = 1 } = {}): void {
  for (const [at, plan] of inventory.entries()) {
    const write = new Writer(random(seed * 1_000 + at));
    for (const [path, text] of filesOf(plan, write, scale)) {
      const file = join(folder, plan.folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}

function filesOf(plan: Planned, write: Writer, scale: number): (readonly [string, string])[] {
  const scaled = (bytes: number) => Math.max(60, Math.round(bytes * scale));
  const isLicence = (path: string) => path.endsWith("OFL.txt");
  const docs = plan.docs.map(([path, bytes]) => {
    const size = scale === 1 ? bytes : scaled(bytes);
    return [path, isLicence(path) ? write.licence(size) : write.reference(size)] as const;
  });
  const licence = plan.licence === undefined ? [] : [["LICENSE.txt", write.licence(scaled(plan.licence))] as const];
  const scripts = (plan.scripts ?? []).map((path) => [path, program] as const);
  return [["SKILL.md", skillText(plan, write, scale)], ...docs, ...licence, ...scripts];
}

/** The SKILL.md, of exactly the planned size unless it is scaled. */
function skillText(
  { folder, name = folder, bytes, description, style }: Planned,
  write: Writer,
  scale: number,
): string {
  const front = `---\nname: ${name}\n${describe(write, description, style)}\n---\n`;
  const left = bytes - front.length;
  const size = scale === 1 ? left : Math.round(left * scale);
  return front + `\n# ${name}\n\n${write.markdown(Math.max(60, size))}`.slice(0, Math.max(20, size));
}

/**
 * The description in the front matter, in one of the forms of real skills: plain, quoted because of a colon, or as a
 * block.
 */
function describe(write: Writer, length: number, style: Planned["style"]): string {
  if (style === "block") return `description: |-\n  ${write.line(length)}`;
  if (style !== "quoted") return `description: ${write.line(length)}`;
  const head = 'Use when: "the file" is named. ';
  return `description: ${JSON.stringify(head + write.line(length - head.length))}`;
}

const program = `import json, sys

json.dump({"arguments": sys.argv[1:], "ok": True}, sys.stdout)
print()
`;
