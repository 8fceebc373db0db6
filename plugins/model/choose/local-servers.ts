/** A kind of local model server and its usual port. Data only. */
export interface LocalServer {
  /** Provider name in `--model provider/id`. */
  provider: string;
  name: string;
  port: number;
  /** Path that only this kind of server answers in its own format. */
  path: string;
}

export const localServers: readonly LocalServer[] = [
  { provider: "ollama", name: "Ollama", port: 11434, path: "/api/tags" },
  { provider: "lmstudio", name: "LM Studio", port: 1234, path: "/api/v0/models" },
  { provider: "llamacpp", name: "llama.cpp", port: 8080, path: "/props" },
];
