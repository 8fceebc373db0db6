import type { Composed, Setting } from "@scorel/inspect/contract";
import { createKernel, newId } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import type {} from "@scorel/sandbox/contract";
import type { Composition } from "@scorel/workspace/contract";
import type { CheckContext, Part } from "./check-context.ts";
import type { Finding, SandboxReport } from "./contract.ts";

type Executors = SandboxReport["executors"];

/** Checks which executor programs of skills would use; each runs a program that does nothing. */
export async function checkSandbox({ composition, cwd, layers }: CheckContext): Promise<Part> {
  const composed = await layers.config().catch(() => undefined);
  // Without the plugin `sandbox` no such programs run. Configuration errors are reported elsewhere.
  if (!composed?.plugins.some(({ id }) => id === "sandbox")) return { findings: [] };
  const executors = await examined(composition, cwd);
  if (!executors) return { findings: [] };
  const asked = settingOf(composed, "executor");
  const chosen = chosenFrom(String(asked?.value ?? "auto"), executors);
  return { sandbox: { ...(chosen && { chosen }), executors }, findings: [verdict(chosen, executors, asked)] };
}

/** Asks the plugin `sandbox`, configured as for a session in this directory but without one. */
async function examined(composition: Composition, cwd: string): Promise<Executors | undefined> {
  const { entries } = await composition.sessionPlugins(cwd, { only: "sandbox" });
  const kernel = await createKernel({ entries, store: createMemoryStore(header()), parent: composition.kernel() });
  try {
    return await kernel.find("sandbox")?.examine?.();
  } finally {
    await kernel.stop();
  }
}

function header() {
  return { version: 1, sessionId: newId(), deviceId: newId(), createdAt: Date.now(), epoch: newId(), meta: {} };
}

function settingOf({ settings }: Composed, key: string): Setting | undefined {
  return settings.find(({ path }) => path === `sandbox.${key}`);
}

function chosenFrom(asked: string, executors: Executors): SandboxReport["chosen"] {
  if (asked === "local") return "local";
  const working = executors.filter(({ problem }) => problem === undefined).map(({ executor }) => executor);
  return working.find((name) => asked === "auto" || name === asked) as SandboxReport["chosen"];
}

function verdict(chosen: SandboxReport["chosen"], executors: Executors, asked: Setting | undefined): Finding {
  const where = asked === undefined || asked.origin === "default" ? "" : asked.origin;
  const finding = (code: string, severity: Finding["severity"], what: string, doNext = ""): Finding => ({
    ...{ code, severity, what, where, doNext },
  });
  if (chosen === "local")
    return finding(
      "SANDBOX_LOCAL",
      "note",
      "Programs of skills run without a sandbox and can do everything that you can.",
      'Remove `[sandbox] executor = "local"`, once another executor works.',
    );
  if (chosen !== undefined) return finding("SANDBOX", "ok", `Programs of skills run in ${chosen}.`);
  const tried = executors.filter(
    ({ executor }) => where === "" || executor === asked?.value || asked?.value === "auto",
  );
  const why = tried.map(({ executor, problem }) => `${executor}: ${problem}`);
  const what = ["No sandbox works, so programs of skills are not run:", ...why].join("\n");
  return finding("SANDBOX_NONE", "warning", what, advice(tried));
}

/** Suggests how to make the first executor work. */
function advice([first]: Executors): string {
  const { executor, problem = "" } = first ?? { executor: "bubblewrap" };
  const container = "Build an image with what skills need, start docker or podman, and name it: [sandbox] image";
  if (executor !== "bubblewrap" || process.platform !== "linux") return container;
  if (/not on the PATH/.test(problem)) return "Install bubblewrap: apt install bubblewrap, or dnf install bubblewrap";
  if (/ENOENT/.test(problem)) return "Set TMPDIR to a folder that exists.";
  if (/prlimit/.test(problem)) return "Install util-linux, which has prlimit.";
  return `Allow users to create namespaces: sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0. Or: ${container[0]?.toLowerCase()}${container.slice(1)}`;
}
