import { basename, dirname } from "node:path";

/** The file of an extension, and as people see it: a trusted project's files run from a copy. */
interface Source {
  path: string;
  /** Of an extension that is a folder its `index` file, for which every file of the folder counts. */
  file: string;
}

/**
 * Where in an extension's files something was thrown: `file:line`, as its stack tells. Undefined when the stack names none of
 * them, or when what was thrown has no stack that can be read.
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

/** The files and lines of a stack, the topmost first. */
export function framesOf(stack: string): [path: string, line: string][] {
  return stack.split("\n").flatMap((line) => {
    const found = FRAME.exec(line);
    return found ? [[found[1] as string, found[2] as string] as [string, string]] : [];
  });
}

/** The stacks of what was thrown and of its cause, the cause's first. Either may be any value. */
function stacksOf(thrown: unknown): string[] {
  try {
    const { stack, cause } = Object(thrown) as { stack?: unknown; cause?: { stack?: unknown } };
    return [cause?.stack, stack].filter((text) => typeof text === "string");
  } catch {
    // A getter threw: there is no stack to read.
    return [];
  }
}
