import type { Api, AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import type { ModelConfig } from "./config.ts";
import type { ModelService, SecretsService, UsableModel } from "./contract.ts";
import { keyFor } from "./key.ts";
import { type Choice, resolveModel, type Sources } from "./resolve.ts";

/** What a session's models are made of. */
export interface Wanted {
  config: ModelConfig;
  /** `provider/id` of the command line. */
  asked?: string | undefined;
  /** The tables `[models.<alias>]`. */
  named: Readonly<Record<string, ModelConfig>>;
  from: Sources;
}

/** The service over the models that were chosen. A choice that fails is told at each use, so that a session still opens. */
export async function createModel(
  { config, asked, named, from }: Wanted,
  secrets: SecretsService,
): Promise<ModelService> {
  const main = await usableModel(resolveModel(config, asked, from), secrets);
  const others = new Map<string, Promise<UsableModel>>();
  const make = (table: ModelConfig) => usableModel(resolveModel(table, undefined, from), secrets);
  return {
    ...main,
    async named(alias) {
      const table = Object.hasOwn(named, alias) ? named[alias] : undefined;
      if (!table) return main;
      const made = others.get(alias) ?? make(table);
      others.set(alias, made);
      return made;
    },
  };
}

async function usableModel(chosen: Promise<Choice>, secrets: SecretsService): Promise<UsableModel> {
  const choice = await chosen.then(
    (made) => () => made,
    (thrown: unknown) => () => {
      throw thrown;
    },
  );
  return {
    current: () => usable(choice()).model,
    stream: (context, options) => open(choice, context, options, secrets),
  };
}

function usable(choice: Choice): Choice & { key: string } {
  return { ...choice, key: keyFor(choice) };
}

const nobody = { api: "none", provider: "none", id: "none" } satisfies Pick<Model<Api>, "api" | "provider" | "id">;

async function open(
  choose: () => Choice,
  context: Context,
  options: SimpleStreamOptions,
  secrets: SecretsService,
): Promise<AssistantMessageEventStream> {
  try {
    const { model, key, offline } = usable(choose());
    if (offline) return await (await import("./offline.ts")).streamOffline(context, options);
    const { streamModel } = await import("./stream.ts");
    return await streamModel(model, key, context, options, secrets.redact);
  } catch (thrown) {
    const { failedStream } = await import("./reply.ts");
    return await failedStream(nobody, secrets.redact(messageOf(thrown)));
  }
}
