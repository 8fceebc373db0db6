import type { BackgroundWork } from "@scorel/commands/contract";
import { lineOf } from "@scorel/kit/text/one-line";
import { outputBudget } from "../budget.ts";
import type { Environment } from "../environment.ts";
import type { Background } from "./background.ts";
import { spillFolder } from "./spill-folder.ts";

/** The background commands of a session. Their code is loaded when the first one is started. */
export class BackgroundCommands implements BackgroundWork {
  private readonly env: Environment;
  private loading: Promise<Background> | undefined;
  private background: Background | undefined;

  constructor(env: Environment) {
    this.env = env;
  }

  readonly get = (): Promise<Background> => (this.loading ??= this.load());

  list() {
    const running = this.background?.running() ?? [];
    return running.map(({ command, ...rest }) => ({ ...rest, title: `$ ${this.env.redact(lineOf(command))}` }));
  }

  async stop(id: string): Promise<void> {
    await this.background?.end(id);
  }

  private async load(): Promise<Background> {
    const { env } = this;
    const [{ Background }, { runCommand }, { Output }] = await Promise.all([
      import("./background.ts"),
      import("./command.ts"),
      import("./output.ts"),
    ]);
    this.background = new Background({
      run: runCommand,
      output: () => new Output(outputBudget(env.context()), () => spillFolder(env)),
      redactor: env.redactor,
      running: env.running,
      processes: env.processes,
    });
    env.atEnd.push(() => this.background?.close());
    return this.background;
  }
}
