import { everyPage, type RemoteClient } from "@scorel/host/client";
import type { ModelRow } from "@scorel/host/contract";
import { useEffect, useState } from "react";
import { safeLine } from "../display/safe.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/problem.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { useWords } from "../words/words.ts";
import { matchingModels, nameOf, shortCount, usableModels } from "./models.ts";

/** The most models that are listed. Typing finds others. */
const SHOWN = 100;

interface ModelChoiceProps {
  client: RemoteClient;
  /** The session whose models are listed. */
  sessionId: string;
  current: string | undefined;
  /** Why it cannot be changed; undefined if it can. */
  locked?: string | undefined;
  /** Rejects if the model cannot be used. */
  choose(model: string): Promise<unknown>;
}

/** A button with the session's model. It opens a list of others. */
export function ModelChoice(props: ModelChoiceProps) {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const shown = safeLine(props.current ?? words.noModel);
  return (
    <>
      <button
        type="button"
        className="choice"
        aria-haspopup="dialog"
        disabled={props.locked !== undefined}
        title={props.locked}
        onClick={() => setOpen(true)}
      >
        <span className="hidden">{words.model}: </span>
        {shown}
      </button>
      {isOpen && <ModelDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A dialog to choose one of all models. */
export function ModelDialog({ client, sessionId, current, choose, onClose }: ModelChoiceProps & { onClose(): void }) {
  const words = useWords();
  const [models, setModels] = useState<readonly ModelRow[]>();
  const [wanted, setWanted] = useState("");
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    everyPage((page) => client.request("list_models", { sessionId, ...page })).then(
      (answer) => setModels(answer.models),
      (thrown) => setProblem((thrown as Error).message),
    );
  }, [client, sessionId]);
  const [isAll, setAll] = useState(false);
  const listed = isAll ? (models ?? []) : usableModels(models ?? [], wanted);
  const left = (models?.length ?? 0) - listed.length;
  const isNoneReady = models?.every(({ ready }) => !ready) === true;
  const found = matchingModels(listed, wanted);
  const take = (model: ModelRow | undefined) =>
    model && choose(nameOf(model)).then(onClose, (thrown) => setProblem((thrown as Error).message));
  return (
    <Dialog title={words.chooseModel} onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void take(found[0]);
        }}
      >
        <SearchField label={words.findModel} value={wanted} onChange={setWanted} />
      </form>
      <Problem text={problem} />
      {isNoneReady && <pre className="plain">{words.modelNone}</pre>}
      {models && found.length === 0 && <p className="muted">{words.nothingFound}</p>}
      <ul className="rows">
        {found.slice(0, SHOWN).map((model) => (
          <li key={nameOf(model)}>
            <ModelButton model={model} isCurrent={nameOf(model) === current} onChoose={() => void take(model)} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {words.showWithoutKey(left)}
        </button>
      )}
      {found.length > SHOWN && <p className="muted">{words.moreModels(found.length - SHOWN)}</p>}
    </Dialog>
  );
}

function ModelButton({ model, isCurrent, onChoose }: { model: ModelRow; isCurrent: boolean; onChoose(): void }) {
  const words = useWords();
  const facts = [
    words.window(shortCount(model.contextWindow)),
    model.cost && words.price(model.cost.input, model.cost.output),
    !model.ready && words.noKey,
  ];
  return (
    <button type="button" className="row-button" aria-current={isCurrent || undefined} onClick={onChoose}>
      <span>{safeLine(nameOf(model))}</span>
      <span className="muted">{facts.filter(Boolean).join(" · ")}</span>
    </button>
  );
}
