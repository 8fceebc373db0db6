import type { KeyboardEvent } from "react";
import type { ChatPlace } from "../chat/deeds.ts";
import { useStore } from "../store.ts";
import { useOverlay } from "../ui/overlay.ts";
import { useWords } from "../words/words.ts";
import { Branches } from "./branches.tsx";
import { Changes } from "./changes.tsx";
import { Files } from "./files.tsx";
import { Health } from "./health.tsx";
import { coversConversation, panel, showPanel, TABS, type Tab } from "./panel-state.ts";
import { Skills } from "./skills.tsx";
import { UsageView } from "./usage.tsx";

const VIEWS = { changes: Changes, files: Files, usage: UsageView, skills: Skills, branches: Branches, health: Health };

/** Closes the panel by Esc, unless the key empties a search field. */
function closeByEscape(event: KeyboardEvent): void {
  const { key, target, defaultPrevented } = event;
  const isSearch = target instanceof HTMLInputElement && target.type === "search" && target.value !== "";
  if (key !== "Escape" || defaultPrevented || isSearch || !panel.get().isOpen) return;
  event.preventDefault();
  showPanel({ isOpen: false });
  document.querySelector<HTMLElement>(".panel-button")?.focus();
}

/** A button that opens and closes the panel beside a conversation. */
export function PanelButton() {
  const words = useWords();
  const { isOpen } = useStore(panel);
  return (
    <button
      type="button"
      className="panel-button"
      aria-expanded={isOpen}
      onClick={() => showPanel({ isOpen: !isOpen })}
      onKeyDown={closeByEscape}
    >
      {words.details}
    </button>
  );
}

/** The panel beside a conversation: changes, files, usage, skills, branches and problems. */
export function Panel({ place }: { place: ChatPlace }) {
  const words = useWords();
  const { isOpen, tab } = useStore(panel);
  const close = () => showPanel({ isOpen: false });
  useOverlay(isOpen && coversConversation(), close);
  if (!isOpen) return null;
  const View = VIEWS[tab];
  return (
    <>
      <button type="button" className="panel-veil" aria-label={words.close} onClick={close} />
      <aside className="panel" aria-label={words.details} tabIndex={-1} onKeyDown={closeByEscape}>
        <header className="panel-head">
          <Tabs tab={tab} />
          <button type="button" className="icon-button" aria-label={words.close} onClick={close}>
            ✕
          </button>
        </header>
        <div className="panel-body" role="tabpanel" aria-label={words.tabs[tab]} data-room>
          <View key={place.session.id} place={place} />
        </div>
      </aside>
    </>
  );
}

/** The tabs. Arrow keys move between them. */
function Tabs({ tab }: { tab: Tab }) {
  const words = useWords();
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = (TABS.indexOf(tab) + step + TABS.length) % TABS.length;
    showPanel({ tab: TABS[at] as Tab });
    (event.currentTarget.children[at] as HTMLElement | undefined)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={words.details} onKeyDown={move}>
      {TABS.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          aria-selected={each === tab}
          tabIndex={each === tab ? 0 : -1}
          onClick={() => showPanel({ tab: each })}
        >
          {words.tabs[each]}
        </button>
      ))}
    </div>
  );
}
