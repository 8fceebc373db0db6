import { type BaseContext, perPlugin } from "@scorel/kernel";
import type { Question, RequestsService } from "./contract.ts";
import type { Requests } from "./requests.ts";

/** Creates the service `requests`, through which each plugin asks under its own name. */
export function createService(requests: Requests): RequestsService {
  const viewFor = (plugin: string): RequestsService => ({
    get attended() {
      return requests.attended;
    },
    ask: (question, options = {}) => requests.ask(plugin, question, options),
    recall: (requestId, question) => requests.recall(plugin, requestId, question),
    forward: async (client, sessionId, options = {}) => {
      const { forward } = await import("./forward.ts");
      const ask = (question: Question, signal: AbortSignal) => requests.ask(plugin, question, { signal });
      return forward({ client, sessionId }, { requests, ask }, options);
    },
    async select(title, options, fallback, ask = {}) {
      const question: Question = { kind: "select", title, options: [...options], fallback };
      return (await requests.ask(plugin, question, ask)).answer ?? fallback;
    },
    async confirm(title, fallback = false, ask = {}) {
      const question: Question = { kind: "confirm", title, fallback: fallback ? "y" : "n" };
      const { answer } = await requests.ask(plugin, question, ask);
      return answer === null ? fallback : answer === "y";
    },
    async input(title, fallback = "", ask = {}) {
      return (await requests.ask(plugin, { kind: "input", title, fallback }, ask)).answer ?? fallback;
    },
  });
  const service: RequestsService = Object.assign(viewFor("requests"), {
    [perPlugin]: ({ plugin }: BaseContext) => viewFor(plugin),
  });
  return service;
}
