import type { AgentApp, InitializeResponse } from "@agentclientprotocol/sdk";
import { codeOf, messageOf } from "@scorel/kernel";
import { plainText } from "@scorel/kit/text/plain";
import type { Editor } from "./editor.ts";
import type { Sessions } from "./sessions.ts";

/** The module of the SDK. It is loaded when an editor connects. */
type Sdk = typeof import("@agentclientprotocol/sdk");

/** The parts that answer an editor's requests. */
export interface Parts {
  sdk: Sdk;
  editor: Editor;
  sessions: Sessions;
  version: string;
}

/** Creates the agent, with a handler for each request that it answers. */
export function createAgent({ sdk, editor, sessions, version }: Parts): AgentApp {
  const answering = answeringWith(sdk);
  const app = sdk.agent({ name: "scorel" });
  app.onRequest("initialize", ({ params }) => {
    editor.can = params.clientCapabilities ?? {};
    return introduction(sdk, version);
  });
  app.onRequest("session/new", ({ params }) => answering(() => sessions.create(params)));
  app.onRequest("session/load", ({ params }) => answering(() => sessions.load(params, { replay: true })));
  app.onRequest("session/resume", ({ params }) => answering(() => sessions.load(params, { replay: false })));
  app.onRequest("session/list", ({ params }) => answering(() => sessions.list(params)));
  app.onRequest("session/close", ({ params }) => answering(() => done(sessions.close(params.sessionId))));
  app.onRequest("session/delete", ({ params }) => answering(() => done(sessions.delete(params.sessionId))));
  app.onRequest("session/set_mode", ({ params }) =>
    answering(() => done(sessions.get(params.sessionId).settings.setMode(params.modeId))),
  );
  app.onRequest("session/set_config_option", ({ params }) =>
    answering(async () => ({
      configOptions: await sessions.get(params.sessionId).settings.setOption(params.configId, params.value),
    })),
  );
  app.onRequest("session/prompt", ({ params, signal }) =>
    answering(async () => ({ stopReason: await sessions.get(params.sessionId).prompt(params.prompt, signal) })),
  );
  app.onNotification("session/cancel", ({ params }) => answering(() => sessions.get(params.sessionId).cancel()));
  return app;
}

function introduction({ PROTOCOL_VERSION }: Sdk, version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "scorel", title: "Scorel", version },
    agentCapabilities: {
      loadSession: true,
      mcpCapabilities: { http: true },
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
  };
}

async function done(work: Promise<void>): Promise<Record<string, never>> {
  await work;
  return {};
}

const NOT_FOUND: ReadonlySet<string> = new Set(["ACP_SESSION", "SESSION_UNKNOWN"]);

/** Converts an error into one of the protocol, whose message the editor shows. */
function answeringWith({ RequestError }: Sdk) {
  return async <R>(work: () => Promise<R>): Promise<R> => {
    try {
      return await work();
    } catch (thrown) {
      const code = codeOf(thrown);
      const number = NOT_FOUND.has(code) ? -32002 : code.startsWith("ACP_") ? -32602 : -32603;
      throw new RequestError(number, plainText(messageOf(thrown)), { code });
    }
  };
}
