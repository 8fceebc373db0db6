import type { Services } from "@scorel/kernel";
import model from "@scorel/model";
import type { ModelService } from "@scorel/model/contract";
import { testKernel } from "./harness.ts";

/** A custom model for `[model]`, without its api and address. */
export const customModel = { type: "custom", provider: "test", id: "m1", contextWindow: 200_000, maxTokens: 32_000 };

/** The plugin's service over a custom model; `config` completes `[model]`. */
export async function withModel(config: object): Promise<ModelService & AsyncDisposable> {
  const opened = await testKernel([{ plugin: model, config: { ...customModel, ...config } }]);
  const service = opened.kernel.find("model") as Services["model"];
  return { ...service, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
