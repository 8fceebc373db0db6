import type { Api, AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import type { ModelConfig } from "./config.ts";
import type { ModelService, SecretsService } from "./contract.ts";
import { keyFor } from "./key.ts";
import { type Choice, resolveModel } from "./resolve.ts";

/** The service over one choice of model. A choice that fails is told at each use, so that a session still opens. */
export async function createModel(
  config: ModelConfig,
  asked: string | undefined,
  secrets: SecretsService,
): Promise<ModelService> {
  const choice = await resolveModel(config, asked).then(
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
