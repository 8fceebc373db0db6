import { useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useWords } from "../words/words.ts";
import { type Command, placeOfChosen, useOffered } from "./commands.ts";
import { fitting } from "./fuzzy.ts";
import { useGoals } from "./goals.ts";

/** The most commands that are shown. Typing finds others. */
const SHOWN = 50;

/** Finds sessions, projects and all commands by a few letters. */
export function Palette({ device, devices, onClose }: { device: Device; devices: Devices; onClose(): void }) {
  const words = useWords();
  const [wanted, setWanted] = useState("");
  // By its id, since the list changes while sessions work. Undefined for the first one.
  const [chosenId, setChosen] = useState<string>();
  const actions = useOffered();
  const goals = useGoals(device, devices);
  const found = fitting([...actions, ...goals], wanted, ({ label, detail = "" }) => `${label} ${detail}`).slice(
    0,
    SHOWN,
  );
  const chosen = placeOfChosen(found, chosenId);
  const list = useId();
  const run = (command: Command | undefined) => {
    if (!command) return;
    // Closed first, so that the focus is back in its place when the command runs.
    flushSync(onClose);
    command.run();
  };
  const move = (by: number) => setChosen(found.at((chosen + by) % found.length)?.id);
  return (
    <Dialog title={words.palette} onClose={onClose}>
      <input
        role="combobox"
        aria-label={words.paletteField}
        placeholder={words.paletteField}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
        value={wanted}
        onChange={(event) => {
          setWanted(event.target.value);
          setChosen(undefined);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else if (event.key === "Enter") run(found[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <Found id={list} found={found} chosen={chosen} onRun={run} />
      <p className="hidden" role="status">
        {words.found(found.length)}
      </p>
      {found.length === 0 && <p className="muted">{words.nothingFound}</p>}
    </Dialog>
  );
}

interface FoundProps {
  id: string;
  found: readonly Command[];
  chosen: number;
  onRun(command: Command): void;
}

function Found({ id, found, chosen, onRun }: FoundProps) {
  const words = useWords();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={words.palette} className="palette">
      {found.map((command, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the chosen one.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
        <div
          key={command.id}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onRun(command)}
        >
          <span className="palette-label">{command.label}</span>
          {command.detail !== undefined && <span className="muted">{command.detail}</span>}
          {command.keys !== undefined && <kbd>{command.keys}</kbd>}
        </div>
      ))}
    </div>
  );
}
