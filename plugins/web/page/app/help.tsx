import { useStore } from "../store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useWords } from "../words/words.ts";
import { singleKeys, withModifier } from "./keys.ts";

/** A dialog with all keys of the page. */
export function Help({ onClose }: { onClose(): void }) {
  const words = useWords();
  const areOn = useStore(singleKeys);
  const everywhere: [string, string][] = [
    [withModifier("K"), words.palette],
    ["F6", words.keyParts],
    ["Esc", words.keyEscape],
  ];
  const single: [string, string][] = [
    ["?", words.help],
    ["/", words.search],
    ["J, K", words.keySessions],
    ["W", words.goToWaiting],
    ["Q", words.allWaiting],
    ["N", words.keyNew],
    ["I", words.keyField],
    ["1 – 9", words.keyAnswer],
  ];
  const writing: [string, string][] = [
    [`Enter, ${withModifier("Enter")}`, words.keySend],
    ["Shift-Enter, Alt-Enter, Ctrl-J", words.keyLine],
    [withModifier("Shift-Enter"), words.keySteer],
    ["@  $", words.keyNames],
    ["/  !", words.keyLines],
    ["Tab, Enter", words.keyTake],
  ];
  return (
    <Dialog title={words.help} onClose={onClose}>
      <KeyList title={words.keysEverywhere} keys={everywhere} />
      {areOn && <KeyList title={words.keysOutside} keys={single} />}
      <label className="check">
        <input type="checkbox" checked={areOn} onChange={(event) => singleKeys.set(event.target.checked)} />{" "}
        {words.useSingleKeys}
      </label>
      <KeyList title={words.keysWriting} keys={writing} />
    </Dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: readonly [string, string][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="keys">
        {keys.map(([key, about]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
