import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AnyPlugin, type EventOf, isEvent, newId, type Services } from "@scorel/kernel";
import messages from "@scorel/messages";
import prompt from "@scorel/prompt";
import type { InstructionSnapshot, PromptService } from "@scorel/prompt/contract";
import type { KernelOptions } from "../../../kernel/kernel.ts";
import { type TestKernel, testKernel } from "../../harness.ts";

/** A home with a project in it. The project is a git repository unless the test removes its `.git`. */
export interface Ground extends Disposable {
  home: string;
  project: string;
  /** Writes a file below the home and creates its folders; returns its path. */
  file(path: string, content: string | Buffer): string;
}

export function ground(): Ground {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "scorel-prompt-")));
  const project = join(home, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  return {
    home,
    project,
    file(path, content) {
      const full = join(home, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
      return full;
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

export type Options = Partial<
  Pick<Services["workspace"], "cwd" | "root" | "trusted" | "packages" | "appendSystemPrompt">
> & {
  /** The table `[prompt]`. */
  config?: object;
  plugins?: AnyPlugin[];
  services?: Partial<Services>;
  kernel?: Partial<KernelOptions>;
};
export interface PromptTest extends TestKernel {
  prompt: PromptService;
  /** Appends a user message, and before it the events that the prompt requires. */
  say(content: string): Promise<void>;
  /** The snapshots in the log. */
  snapshots(): EventOf<"instruction_snapshot">[];
  /** The texts of the harness items in the log. */
  notes(): string[];
}

/** The plugin in a session whose working directory is the project. */
export async function openPrompt({ home, project }: Ground, options: Options = {}): Promise<PromptTest> {
  const { config = {}, plugins = [], services, kernel: more, ...place } = options;
  const workspace = { cwd: project, root: project, home, ...place } as Services["workspace"];
  const opened = await testKernel([messages, { plugin: prompt, config }, ...plugins], {
    // Random ids, since counted ids would repeat when a log is opened again.
    newId,
    ...more,
    services: { workspace, ...services },
  });
  const service = opened.kernel.find("prompt") as PromptService;
  const events = () => [...opened.session.tree];
  return {
    ...opened,
    prompt: service,
    async say(content) {
      const message = { role: "user" as const, content, timestamp: 0 };
      await opened.session.appendAll([...service.opening(), { type: "message", payload: { message } }]);
    },
    snapshots: () => events().filter((event) => isEvent(event, "instruction_snapshot")),
    notes: () => events().flatMap((event) => (isEvent(event, "harness_item") ? event.text : [])),
  };
}

/** A model with a context window of this many tokens. */
export function windowOf(contextWindow: number): Partial<Services> {
  return { model: { current: () => ({ contextWindow }) } as Services["model"] };
}

/** A section of a snapshot. */
export function section(snapshot: InstructionSnapshot | undefined, name: string) {
  return snapshot?.sections.find((each) => each.name === name);
}
