/** A kind of server that runs models on this machine, and where it usually listens. Data only. */
export interface LocalServer {
  /** The provider in `--model provider/id`. */
  provider: string;
  name: string;
  port: number;
  /** The question that only this kind of server answers in its way. */
  path: string;
}

export const localServers: readonly LocalServer[] = [
  { provider: "ollama", name: "Ollama", port: 11434, path: "/api/tags" },
  { provider: "lmstudio", name: "LM Studio", port: 1234, path: "/api/v0/models" },
  { provider: "llamacpp", name: "llama.cpp", port: 8080, path: "/props" },
];
