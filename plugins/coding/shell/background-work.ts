import type { BackgroundWork } from "@scorel/commands/contract";
import type { PluginContext } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { outputBudget } from "../budget.ts";
import type { Environment } from "../environment.ts";
import type { Background } from "./background.ts";
import { endedNotice } from "./background-notices.ts";
import { spillFolder } from "./spill-folder.ts";

/** The background commands of a session. Their code is loaded when the first one is started. */
export class BackgroundCommands implements BackgroundWork {
  private readonly ctx: PluginContext<unknown, never>;
  private readonly env: Environment;
  private loading: Promise<Background> | undefined;
  private background: Background | undefined;
  /** Settles when earlier notices are stored. */
  private telling: Promise<void> = Promise.resolve();

  constructor(ctx: BackgroundCommands["ctx"], env: Environment) {
    this.ctx = ctx;
    this.env = env;
  }

  /** Appends a notice about commands that the model believes are running, but that have ended. Calls wait for each other. */
  tellEnded(): Promise<void> {
    const { session } = this.ctx;
    const told = this.telling.then(async () => {
      const known = session.projection("backgroundCommands");
      const news = Object.keys(known).length === 0 ? undefined : endedNotice(known, this.background);
      if (news) await session.appendAll([news]);
    });
    this.telling = told.catch(() => {});
    return told;
  }

  /** Does the same unless a turn runs: then the notice comes before the next model call, unless a result has told of the end by then. */
  async tellBetweenTurns(): Promise<void> {
    const { session } = this.ctx;
    if (!session.held && !session.stopping.aborted) await this.tellEnded();
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
      onChange: () => this.changed(),
    });
    env.atEnd.push(() => this.background?.close());
    return this.background;
  }
  private changed(): void {
    const { length } = this.background?.running() ?? [];
    const { ctx } = this;
    if (ctx.session.stopping.aborted) return;
    ctx.find("ui")?.status(length === 0 ? undefined : `${length} command${length === 1 ? "" : "s"} in the background`);
    this.tellBetweenTurns().catch((thrown: unknown) => ctx.report("telling of an end", thrown));
  }
}
