/**
 * The agent loop of the library pi-agent-core over one adapter, without Scorel, as a process: prints the text of the
 * reply. Arguments: base URL, model.
 */
import { runAgentLoopContinue } from "@mariozechner/pi-agent-core";
import type { Model } from "@mariozechner/pi-ai";
import { streamSimpleOpenAICompletions } from "@mariozechner/pi-ai/openai-completions";

const [baseUrl = "", id = ""] = process.argv.slice(2);
const model: Model<"openai-completions"> = {
  id,
  name: id,
  api: "openai-completions",
  provider: "local",
  baseUrl,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 100_000,
};
let said = "";
await runAgentLoopContinue(
  { systemPrompt: "", messages: [{ role: "user", content: "go", timestamp: 0 }], tools: [] },
  { model, apiKey: "none", convertToLlm: (messages) => messages as never },
  (event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
      said += event.assistantMessageEvent.delta;
  },
  undefined,
  (_model, context, options) => streamSimpleOpenAICompletions(model, context, options),
);
process.stdout.write(`${said}\n`);
