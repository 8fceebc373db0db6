import type { FileContent, FileOptions, FilesService, ProcessEnd, ProcessesService } from "@scorel/local/contract";
import type { Connection, Request } from "./connection.ts";

/** The project's folder here and there. Other paths are the same in both places. */
interface Folders {
  here: string;
  there: string;
}

/** There is no `search`: Scorel lists and reads the files, and searches a copy. */
export function remoteFiles(connection: Connection, folders: Folders): FilesService {
  const ask = async <T>(request: Request, { signal }: FileOptions = {}) =>
    (await connection.request(request, signal ? { signal } : {})) as T;
  const there = (path: string) => moved(path, folders.here, folders.there);
  return {
    async realpath(path, options) {
      return moved(await ask<string>({ do: "realpath", path: there(path) }, options), folders.there, folders.here);
    },
    // JSON has no undefined.
    stat: async (path, options) => (await ask({ do: "stat", path: there(path) }, options)) ?? undefined,
    async read(path, { maxBytes, ...options } = {}) {
      const { base64, ...info } = await ask<Omit<FileContent, "bytes"> & { base64: string }>(
        { do: "read", path: there(path), maxBytes },
        options,
      );
      return { ...info, bytes: Buffer.from(base64, "base64") };
    },
    async write(path, bytes, { create = false, ...options } = {}) {
      const base64 = Buffer.from(bytes).toString("base64");
      await ask({ do: "write", path: there(path), base64, create }, options);
    },
    list: (folder, options) => ask({ do: "list", path: there(folder) }, options),
  };
}

export function remoteProcesses(connection: Connection, { here, there }: Folders): ProcessesService {
  return {
    async start({ command, cwd, onOutput }) {
      let end: (end: ProcessEnd) => void = () => {};
      let lose: (reason: Error) => void = () => {};
      const ended = new Promise<ProcessEnd>((resolve, reject) => {
        end = resolve;
        lose = reject;
      });
      ended.catch(() => {}); // Whoever waits for it hears of it.
      const listener = { output: onOutput, end: (told: unknown) => end(told as ProcessEnd), lost: lose };
      // The environment of this computer would be wrong there.
      const request = { do: "start", command, cwd: moved(cwd, here, there) };
      const pid = (await connection.request(request, { listener })) as number;
      const tell = (what: string) => connection.request({ do: what, pid });
      return {
        ended,
        kill: async () => void (await tell("kill")),
        pause: () => void tell("pause").catch(() => {}),
        resume: () => void tell("resume").catch(() => {}),
      };
    },
  };
}

function moved(path: string, from: string, to: string): string {
  if (path === from) return to;
  return path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
}
