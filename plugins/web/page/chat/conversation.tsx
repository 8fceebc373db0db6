import type { RemoteClient } from "@scorel/host/client";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { useCommands } from "../app/commands.ts";
import { useRights } from "../host/rights.ts";
import type { Entry, OpenSession, Row } from "../host/session.ts";
import { useTarget } from "../search/target.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { userContentOf } from "./content.ts";
import { edit, retry } from "./deeds.ts";
import { useEarlier } from "./earlier.ts";
import type { Field } from "./field.ts";
import { withoutFirstModel } from "./first-model.ts";
import { useFollowing } from "./following.ts";
import { LiveEntry } from "./live-entry.tsx";
import { Message } from "./message.tsx";
import { RewindDialog } from "./rewind-dialog.tsx";

interface ConversationProps {
  client: RemoteClient;
  session: OpenSession;
  field: Field;
}

/** The messages. Only the visible ones are rendered. The end stays in view until the reader scrolls away from it. */
export function Conversation({ client, session, field }: ConversationProps) {
  const words = useWords();
  const known = useStore(session.entries);
  const { hasEarlier } = session;
  const entries = useMemo(() => (hasEarlier ? known : withoutFirstModel(known)), [known, hasEarlier]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { isAway, moved, toEnd, leave } = useFollowing(scroller, entries);
  // A message that was sent, and the reply to it, appear at the end.
  useEffect(() => field.sendings.subscribe(toEnd), [field, toEnd]);
  const { found, shown } = useTarget(session, entries, list, leave);
  const { isLoading, problem } = useEarlier(session, scroller, isAway);
  const { message, dialog } = useMessages({ client, session, field }, entries);

  return (
    <div className="conversation" data-room>
      <div
        className="scroller"
        ref={scroller}
        onScroll={moved}
        // A person who has clicked there needs no outline around all messages at the next key.
        onPointerDown={({ currentTarget }) => currentTarget.setAttribute("data-pressed", "")}
        onBlur={({ currentTarget }) => currentTarget.removeAttribute("data-pressed")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={words.conversation}
      >
        {isLoading && <p className="muted">{words.loadEarlier}</p>}
        {problem !== undefined && <p className="muted">{words.notLoadedEarlier(problem)}</p>}
        <Virtualizer ref={list} scrollRef={scroller} shift={useCameBefore(entries)}>
          {entries.map((entry) => (
            <div
              className="entry"
              key={entry.key}
              {...(entry.key === found && { ref: shown, tabIndex: -1, "data-found": true })}
            >
              {entry.row ? message(entry.row) : <LiveEntry live={entry.live} />}
            </div>
          ))}
        </Virtualizer>
      </div>
      {dialog}
      {isAway && (
        <button type="button" className="jump" onClick={toEnd}>
          ↓ {words.jump}
        </button>
      )}
    </div>
  );
}

/** How to render a stored event, and the dialog that one of them has opened. */
function useMessages(place: ConversationProps, entries: readonly Entry[]) {
  const { running, connection } = useStore(place.session.status);
  const { people, rights } = place.session;
  const words = useWords();
  const { manage } = useRights();
  useStore(people.met);
  const [rewound, setRewound] = useState<Row>();
  const last = entries.findLast(({ row }) => row?.display.display === "bubble")?.key;
  const deeds = {
    retry: () => retry(place),
    edit: (row: Row) => edit(place, row),
    rewind: setRewound,
  };
  const lastOwn = () => entries.findLast(({ row }) => row && userContentOf(row.event) !== undefined)?.row;
  useCommands(() =>
    manage && !running && lastOwn()
      ? [{ id: "rewind", label: words.goBackLast, run: () => setRewound(lastOwn()) }]
      : [],
  );
  const message = (row: Row) => (
    <Message
      row={row}
      author={people.nameOf(row.clientId)}
      isIdle={!running && connection === "live" && rights.write}
      isLast={row.id === last}
      deeds={deeds}
    />
  );
  const dialog = rewound && <RewindDialog place={place} row={rewound} onClose={() => setRewound(undefined)} />;
  return { message, dialog };
}

/** Whether entries were inserted at the beginning since the last render. The list then keeps its position. */
function useCameBefore(entries: readonly Entry[]): boolean {
  const drawn = useRef(entries);
  useLayoutEffect(() => {
    drawn.current = entries;
  });
  const [first] = drawn.current;
  return first !== undefined && entries.length > drawn.current.length && entries[0]?.key !== first.key;
}
