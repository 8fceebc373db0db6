import type {} from "@scorel/host/contract";
import { type AnyEvent, definePlugin, type Missed } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type {} from "./contract.ts";
import { Journal } from "./journal.ts";
import type { Spans } from "./spans.ts";

const version = "0.1.0";
/** Where OpenTelemetry's api keeps what an SDK registered. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Readable lines beside the log, and spans for whoever registered an OpenTelemetry SDK in this process. */
export default definePlugin({
  id: "diagnostics",
  name: "Diagnostics",
  version,
  provides: ["spans"],

  activate(ctx) {
    const file = ctx.find("workspace")?.file;
    const journal = file === undefined ? undefined : new Journal(ctx, file.replace(/\.[^./]+$/, ".log"));
    let spans: Spans | undefined;
    // The api is loaded when there is an SDK to take its spans, and not before.
    const tracing = async () => {
      spans ??= REGISTERED in globalThis ? new (await import("./spans.ts")).Spans(ctx, version) : undefined;
      return spans;
    };
    ctx.provide("spans", {
      async below(toolCallId) {
        const open = await tracing();
        // What was announced before is heard before: the span of the call is there.
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
