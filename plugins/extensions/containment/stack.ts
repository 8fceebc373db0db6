import { basename, dirname } from "node:path";

/** The file of an extension, and as people see it: a trusted project's files run from a copy. */
interface Source {
  path: string;
  /** The extension's file; for a folder its `index` file, which stands for every file in the folder. */
  file: string;
}

/**
 * The first `file:line` of an extension in the stack of a thrown value. Undefined if the stack names no file of the
 * extension or cannot be read.
 */
export function placeInFiles(thrown: unknown, { path, file }: Source): string | undefined {
  for (const stack of stacksOf(thrown))
    for (const [named, line] of framesOf(stack))
      if (belongsTo(named, file)) return `${named}:${line}`.replace(dirname(file), dirname(path));
  return undefined;
}

function belongsTo(path: string, file: string): boolean {
  return path === file || (basename(file).startsWith("index.") && path.startsWith(`${dirname(file)}/`));
}

const FRAME = /(?:\(|at (?:async )?)(?:file:\/\/)?(\/[^\n]*?):(\d+):\d+\)?$/;

/** The files and lines of a stack, topmost first. */
export function framesOf(stack: string): [path: string, line: string][] {
  return stack.split("\n").flatMap((line) => {
    const found = FRAME.exec(line);
    return found ? [[found[1] as string, found[2] as string] as [string, string]] : [];
  });
}

/** The stacks of a thrown value and of its cause, the cause's first. Both may be any value. */
function stacksOf(thrown: unknown): string[] {
  try {
    const { stack, cause } = Object(thrown) as { stack?: unknown; cause?: { stack?: unknown } };
    return [cause?.stack, stack].filter((text) => typeof text === "string");
  } catch {
    // A getter threw: there is no stack to read.
    return [];
  }
}
