import { isInfo } from "@scorel/kit/executor/answers";
import { callExecutor, type Executor } from "@scorel/kit/executor/call";
import { checkedReading, type Limits, TRANSFER_MS } from "@scorel/kit/executor/files";
import { within } from "@scorel/kit/values/within";
import type { FileSearch, FilesService } from "@scorel/local/contract";
import { checkedOutput } from "./output.ts";

/** Milliseconds for a search; more than the limit of any caller. */
const SEARCH_MS = 120_000;
/** Milliseconds for closing the folder of a search. */
const CLOSE_MS = 3_000;

/** The service `files` as tools use it: each call has a time limit, and each answer is checked. */
export function checkedFiles(files: FilesService, executor: Executor, limits: Limits = {}): FilesService {
  const { transferMs: limitMs = TRANSFER_MS } = limits;
  return {
    ...checkedReading(files, executor, limits),
    write: (path, bytes, { signal, ...options } = {}) =>
      callExecutor(executor, { method: "write", limitMs, signal }, (signal) =>
        files.write(path, bytes, { ...options, signal }),
      ),
    ...(files.search && { search: searchWith(files, executor, limitMs) }),
  };
}

function searchWith(files: FilesService, executor: Executor, limitMs: number): NonNullable<FilesService["search"]> {
  return async (path, { signal, ...options } = {}) => {
    const call = { method: "search", limitMs, signal, check: checkSearch };
    const open = (signal: AbortSignal) => files.search?.(path, { ...options, signal }) as Promise<FileSearch>;
    return checkedSearch(await callExecutor(executor, call, open), executor);
  };
}

function checkedSearch(search: FileSearch, executor: Executor): FileSearch {
  const { kind, size, id, target } = search;
  return {
    kind,
    size,
    ...(id !== undefined && { id }),
    target,
    run(args, { signal, onOutput }) {
      const output = checkedOutput(onOutput);
      const check = (end: unknown) => checkEnd(end) ?? output.check();
      return callExecutor(executor, { method: "search().run", limitMs: SEARCH_MS, signal, check }, (signal) =>
        search.run(args, { signal, onOutput: output.take }),
      );
    },
    // A folder that cannot be closed on the executor must not make the search fail.
    [Symbol.asyncDispose]: () =>
      within(CLOSE_MS, Promise.resolve(search[Symbol.asyncDispose]()), () => new Error("late")).catch(() => {}),
  };
}

function checkSearch(search: unknown): string | undefined {
  const { target, run, [Symbol.asyncDispose]: dispose } = (search ?? {}) as Partial<FileSearch>;
  const isSearch =
    isInfo(search) && typeof target === "string" && typeof run === "function" && typeof dispose === "function";
  return isSearch ? undefined : "an object with kind, size, target, run and Symbol.asyncDispose";
}

function checkEnd(end: unknown): string | undefined {
  const { exitCode, stderr } = (end ?? {}) as { exitCode?: unknown; stderr?: unknown };
  const isEnd = (exitCode === null || Number.isSafeInteger(exitCode)) && typeof stderr === "string";
  return isEnd ? undefined : "an object with exitCode and stderr";
}
