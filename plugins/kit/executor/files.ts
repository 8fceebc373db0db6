import { checkContent, checkEntries, checkInfo, checkRealPath } from "./answers.ts";
import { callExecutor, type Executor } from "./call.ts";

/** Time limit in milliseconds of a question about a path. It is shorter than the limit of guards, which ask such questions. */
const QUESTION_MS = 20_000;
/** Time limit in milliseconds of a call that transfers a whole file. */
export const TRANSFER_MS = 60_000;

interface Options {
  signal?: AbortSignal | undefined;
}
/** The methods of the service `files` that change nothing. */
interface Readable {
  readonly local?: boolean;
  realpath(path: string, options?: Options): Promise<string>;
  stat(path: string, options?: Options): Promise<object | undefined>;
  read(path: string, options?: Options & { maxBytes?: number }): Promise<object>;
  list(folder: string, options?: Options): Promise<object[]>;
}
export type Limits = { questionMs?: number; transferMs?: number };

/** The reading methods of the service `files`, each with a time limit and with validated answers. */
export function checkedReading<F extends Readable>(
  files: F,
  executor: Executor,
  { questionMs = QUESTION_MS, transferMs = TRANSFER_MS }: Limits = {},
): Pick<F, keyof Readable> {
  const reading: Readable = {
    local: files.local === true,
    realpath: (path, { signal } = {}) =>
      callExecutor(executor, { method: "realpath", limitMs: questionMs, signal, check: checkRealPath }, (signal) =>
        files.realpath(path, { signal }),
      ),
    stat: (path, { signal } = {}) =>
      callExecutor(executor, { method: "stat", limitMs: questionMs, signal, check: checkInfo }, (signal) =>
        files.stat(path, { signal }),
      ),
    read(path, { signal, ...options } = {}) {
      const check = (content: unknown) => checkContent(content, options.maxBytes);
      return callExecutor(executor, { method: "read", limitMs: transferMs, signal, check }, (signal) =>
        files.read(path, { ...options, signal }),
      );
    },
    list: (folder, { signal } = {}) =>
      callExecutor(executor, { method: "list", limitMs: questionMs, signal, check: checkEntries }, (signal) =>
        files.list(folder, { signal }),
      ),
  };
  return reading as Pick<F, keyof Readable>;
}
