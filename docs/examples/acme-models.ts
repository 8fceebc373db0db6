/** Adds the provider `acme`, whose server has a format of its own: `--model acme/large`, `scorel model list acme`. Set `[acme-models] baseUrl`, and the key in `ACME_KEY`. */
import { definePlugin } from "@scorel/kernel";
import type { ModelProvider, ProviderRequest } from "@scorel/model/contract";
import { z } from "zod";

/** One line of the server's answer. */
interface Line {
  say?: string;
  call?: { id: string; tool: string; args: object };
  done?: { tokens: [input: number, output: number] };
}

/** The server answers with a line of JSON for each piece. */
async function* lines(response: Response): AsyncGenerator<Line> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const parts = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) yield JSON.parse(line) as Line;
  }
}

async function* stream({ fetch, model, context, options }: ProviderRequest) {
  const response = await fetch("talk", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: model.id, heat: options.temperature, ...context }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  let called = false;
  for await (const { say, call, done } of lines(response)) {
    if (say !== undefined) yield { type: "text" as const, text: say };
    if (call) {
      called = true;
      yield { type: "toolCall" as const, id: call.id, name: call.tool, json: JSON.stringify(call.args) };
    }
    if (!done) continue;
    const [input, output] = done.tokens;
    yield { type: "usage" as const, input, output };
    // Without this part the reply counts as cut.
    yield { type: "end" as const, reason: called ? ("toolUse" as const) : ("stop" as const) };
  }
}

export default definePlugin({
  id: "acme-models",
  name: "Acme models",
  version: "1.0.0",
  config: z.strictObject({ baseUrl: z.string().default("https://models.acme.example/v2") }),
  providers: ({ config }): Record<string, ModelProvider> => ({
    acme: {
      label: "Acme",
      baseUrl: config.baseUrl,
      apiKeyEnv: "ACME_KEY",
      keyHeader: "x-acme-key",
      stream,
      async models({ fetch }) {
        const found = (await (await fetch("models")).json()) as { name: string; window: number; price: number }[];
        return found.map(({ name: id, window: contextWindow, price: input }) => ({
          id,
          contextWindow,
          maxTokens: contextWindow / 4,
          cost: { input, output: 2 * input },
        }));
      },
    },
  }),
});
