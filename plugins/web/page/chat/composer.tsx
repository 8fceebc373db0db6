import type { RemoteClient } from "@scorel/host/client";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { send } from "./send.ts";

/** The field to write in. What is not sent stays, also when the page is loaded anew. */
export function Composer({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const words = useWords();
  const { running } = useStore(session.status);
  const [text, setText] = useState(() => draftOf(session.id));
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => keepDraft(session.id, text), [session.id, text]);
  useHeight(field, text);

  const submit = async (running: "follow_up" | "steer") => {
    const sent = text;
    if (sent.trim() === "") return;
    setText("");
    setProblem(undefined);
    try {
      const output = await send(client, session.id, sent, running);
      if (output) setProblem(output);
    } catch (thrown) {
      setText((now) => (now === "" ? sent : `${sent}\n${now}`));
      setProblem(`${words.notSent} ${(thrown as Error).message}`);
    }
  };
  const cancel = () => void client.request("cancel", { sessionId: session.id });

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit("follow_up");
      }}
    >
      {problem && (
        <pre className="plain problem" role="alert">
          {problem}
        </pre>
      )}
      <textarea
        ref={field}
        aria-label={words.message}
        placeholder={words.placeholder}
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void submit(event.shiftKey ? "steer" : "follow_up");
          } else if (event.key === "Escape" && running) cancel();
        }}
      />
      <div className="composer-keys">
        {running && (
          <>
            <button type="button" onClick={cancel}>
              {words.stop}
            </button>
            <button type="button" disabled={text.trim() === ""} onClick={() => void submit("steer")}>
              {words.steer}
            </button>
          </>
        )}
        <button type="submit" className="primary" disabled={text.trim() === ""}>
          {running ? words.queue : words.send}
        </button>
      </div>
    </form>
  );
}

/** The field grows with its text. */
function useHeight(field: { readonly current: HTMLTextAreaElement | null }, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text.
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);
}
