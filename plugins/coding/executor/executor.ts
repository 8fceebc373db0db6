import type { PluginContext } from "@scorel/kernel";
import type { FilesService, ProcessesService } from "@scorel/local/contract";
import { checkedFiles } from "./files.ts";
import { checkedProcesses, type Processes } from "./processes.ts";

/** The services `files` and `processes` of a session. Their calls have time limits, and their answers are checked. */
export function executorOf(ctx: PluginContext<unknown, "files" | "processes">): {
  readonly files: FilesService;
  readonly processes: Processes;
} {
  const files = remembering((service: FilesService) =>
    checkedFiles(service, { service: "files", pluginOf: (method) => ctx.providerOf("files", method as "read") }),
  );
  const processes = remembering((service: ProcessesService) =>
    checkedProcesses(service, { service: "processes", pluginOf: () => ctx.providerOf("processes", "start") }),
  );
  return {
    get files() {
      return files(ctx.files);
    },
    get processes() {
      return processes(ctx.processes);
    },
  };
}

/** Caches the result for the last service: a service is replaced only when plugins are added or removed. */
function remembering<S, R>(make: (service: S) => R): (service: S) => R {
  let last: { service: S; result: R } | undefined;
  return (service) => {
    if (last?.service !== service) last = { service, result: make(service) };
    return last.result;
  };
}
