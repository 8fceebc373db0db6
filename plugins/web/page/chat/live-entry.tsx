import type { Live, LiveCall, LiveReply } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { endOf } from "../display/card.tsx";
import { Display, Fold } from "../display/display.tsx";
import { safeLine, safeText } from "../display/safe.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { type Store, useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** A reply that is arriving, or a tool that is running. */
export function LiveEntry({ live: store }: { live: Store<Live> }) {
  const live = useStore(store);
  return live.kind === "reply" ? <Reply reply={live} /> : <Call call={live} />;
}

function Reply({ reply: { text, thinking, calls } }: { reply: LiveReply }) {
  const words = useWords();
  return (
    <div className="bubble assistant" aria-busy="true">
      <h3 className="hidden">{words.assistant}</h3>
      {thinking !== "" && <Fold title={text === "" ? words.thinking : words.thought} text={thinking} />}
      <Markdown text={text} />
      {calls.map(({ toolCallId, toolName, json }) => (
        <p key={toolCallId} className="muted">
          {safeLine(toolName)} · {json.length}
        </p>
      ))}
    </div>
  );
}

/** A running tool, with the last lines of its output. */
function Call({ call: { display, progress } }: { call: LiveCall }) {
  const printed = outputOf(progress);
  return (
    <>
      <Display display={asRunning(display)} />
      {printed !== "" && <pre className="plain tail">{safeText(endOf(printed))}</pre>}
    </>
  );
}

function asRunning(display: DisplayAction): DisplayAction {
  return display.display === "card" ? { ...display, status: "running" } : display;
}

/** The text in a progress report of a tool. Reports may have any form. */
function outputOf(progress: unknown): string {
  if (typeof progress === "string") return progress;
  const { content, output } = (progress ?? {}) as { content?: unknown; output?: unknown };
  if (typeof output === "string") return output;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("");
}
