import { type AnyEvent, definePlugin, type Missed } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/workspace/contract";
import type {} from "./contract.ts";
import { Journal } from "./journal.ts";
import type { Spans } from "./spans.ts";

const version = "0.1.0";
/** Key under which the OpenTelemetry API keeps what an SDK registered. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Plugin `diagnostics`: a readable log beside each session, and spans if an OpenTelemetry SDK is registered. */
export default definePlugin({
  id: "diagnostics",
  name: "Diagnostics",
  version,
  provides: ["spans"],

  activate(ctx) {
    const file = ctx.find("workspace")?.file;
    const journal = file === undefined ? undefined : new Journal(ctx, file.replace(/\.[^./]+$/, ".log"));
    let spans: Spans | undefined;
    // Loads the API only when an SDK is registered.
    const tracing = async () => {
      spans ??= REGISTERED in globalThis ? new (await import("./spans.ts")).Spans(ctx, version) : undefined;
      return spans;
    };
    ctx.provide("spans", {
      async below(toolCallId) {
        const open = await tracing();
        // Let the event that opens the call's span be processed first.
        await new Promise(setImmediate);
        return open?.below(toolCallId);
      },
    });
    ctx.subscribe(
      async (event: AnyEvent | Missed) => {
        journal?.hear(event);
        (event.type === "runtime_start" ? await tracing() : spans)?.hear(event);
      },
      { joined: true },
    );
    return () => {
      journal?.close();
      spans?.close();
    };
  },
});
