import { basename, dirname } from "node:path";

/**
 * Where in a plugin's own files something was thrown: `file:line`, as its stack tells. Undefined when the stack
 * names none of them, or when what was thrown has no stack that can be read.
 *
 * @param file The plugin's file; of a folder its `index` file, for which every file of the folder counts.
 */
export function placeOf(thrown: unknown, file: string): string | undefined {
  for (const stack of stacksOf(thrown))
    for (const [path, line] of framesOf(stack)) if (belongsTo(path, file)) return `${path}:${line}`;
  return undefined;
}

function belongsTo(path: string, file: string): boolean {
  return path === file || (basename(file).startsWith("index.") && path.startsWith(`${dirname(file)}/`));
}

const FRAME = /(?:\(|at (?:async )?)(?:file:\/\/)?(\/[^\n]*?):(\d+):\d+\)?$/;

/** The files and lines of a stack, the topmost first. */
export function framesOf(stack: string): [path: string, line: string][] {
  return stack.split("\n").flatMap((line) => {
    const found = FRAME.exec(line);
    return found ? [[found[1] as string, found[2] as string] as [string, string]] : [];
  });
}

/** The stacks of what was thrown, its cause's first. Both are whatever the thrower made them. */
function stacksOf(thrown: unknown): string[] {
  try {
    const { stack, cause } = Object(thrown) as { stack?: unknown; cause?: { stack?: unknown } };
    return [cause?.stack, stack].filter((text) => typeof text === "string");
  } catch {
    // A getter that throws: what cannot be read names no place.
    return [];
  }
}
