/** Environment variables for each provider's key, best first. Data only, since it is read at every start. */
export const providerKeys: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  "azure-openai-responses": ["AZURE_OPENAI_API_KEY"],
  cerebras: ["CEREBRAS_API_KEY"],
  "cloudflare-ai-gateway": ["CLOUDFLARE_API_KEY"],
  "cloudflare-workers-ai": ["CLOUDFLARE_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  fireworks: ["FIREWORKS_API_KEY"],
  "github-copilot": ["COPILOT_GITHUB_TOKEN"],
  google: ["GEMINI_API_KEY"],
  "google-vertex": ["GOOGLE_CLOUD_API_KEY"],
  groq: ["GROQ_API_KEY"],
  huggingface: ["HF_TOKEN"],
  "kimi-coding": ["KIMI_API_KEY"],
  minimax: ["MINIMAX_API_KEY"],
  "minimax-cn": ["MINIMAX_CN_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  moonshotai: ["MOONSHOT_API_KEY"],
  "moonshotai-cn": ["MOONSHOT_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  opencode: ["OPENCODE_API_KEY"],
  "opencode-go": ["OPENCODE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  "vercel-ai-gateway": ["AI_GATEWAY_API_KEY"],
  xai: ["XAI_API_KEY"],
  xiaomi: ["XIAOMI_API_KEY"],
  "xiaomi-token-plan-ams": ["XIAOMI_TOKEN_PLAN_AMS_API_KEY"],
  "xiaomi-token-plan-cn": ["XIAOMI_TOKEN_PLAN_CN_API_KEY"],
  "xiaomi-token-plan-sgp": ["XIAOMI_TOKEN_PLAN_SGP_API_KEY"],
  zai: ["ZAI_API_KEY"],
};

/** Further variables that hold credentials for models, although their names do not show it. */
const others = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GOOGLE_API_KEY",
];

const providers = [
  "AI21 AI_GATEWAY ALEPH_ALPHA ANTHROPIC ANYSCALE ARK AWS_BEDROCK AZURE AZURE_OPENAI BEDROCK CEREBRAS CHUTES CLAUDE",
  "CLOUDFLARE CODESTRAL CODEX COHERE COPILOT DASHSCOPE DATABRICKS DEEPINFRA DEEPSEEK ELEVENLABS FIREWORKS GEMINI GLM",
  "GOOGLE_AI GOOGLE_CLOUD GOOGLE_GENERATIVE_AI GROK GROQ HF HUGGINGFACE HUGGINGFACEHUB HUGGING_FACE HYPERBOLIC KIMI",
  "LITELLM MIMO MINIMAX MISTRAL MOONSHOT NEBIUS NOVITA NVIDIA OLLAMA OPENAI OPENCODE OPENROUTER PERPLEXITY PPLX QWEN",
  "REPLICATE SAMBANOVA SCOREL SILICONFLOW STEPFUN TOGETHER VENICE VERCEL VERTEX VOLCENGINE VOYAGE WATSONX XAI XIAOMI",
  "ZAI ZHIPU ZHIPUAI",
].flatMap((row) => row.split(" "));

const exact = new Set([...Object.values(providerKeys).flat(), ...others]);
const pattern = new RegExp(
  `^(${providers.join("|")})(_[A-Z0-9_]+)?_(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_?\\d+)?$`,
);

/** Returns true when a variable of this name holds a model provider's key. */
export function isKeyVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return exact.has(upper) || pattern.test(upper);
}
