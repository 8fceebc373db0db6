import type { FoundFile } from "@scorel/mentions/contract";
import { useState } from "react";
import type { ChatPlace } from "../chat/deeds.ts";
import { safeLine } from "../display/safe.ts";
import { useStore } from "../store.ts";
import { SearchField } from "../ui/search-field.tsx";
import { useWords } from "../words/words.ts";
import { Artifacts } from "./artifacts.tsx";
import { FileText } from "./file-text.tsx";
import { openedFiles, openFile } from "./panel-state.ts";
import { useReading } from "./reading.ts";
import { Refusal } from "./refusal.tsx";

const MOST_FOUND = 50;

/** The files of the project. The person finds one by parts of its path, and opens it. */
export function Files({ place }: { place: ChatPlace }) {
  const words = useWords();
  const { session } = place;
  const path = useStore(openedFiles).get(session.id);
  const [wanted, setWanted] = useState("");
  if (!session.rights.write)
    return (
      <>
        <p className="muted">{words.filesNotShown}</p>
        <Artifacts place={place} />
      </>
    );
  const open = (file: string) => {
    openFile(session.id, file);
    setWanted("");
  };
  const isSearching = wanted !== "" || path === undefined;
  return (
    <>
      <SearchField label={words.findFile} value={wanted} onChange={setWanted} />
      {isSearching && <FoundFiles place={place} wanted={wanted} onFolder={setWanted} onFile={open} />}
      {path !== undefined && wanted === "" && <OpenedFile key={path} place={place} path={path} />}
      <Artifacts place={place} />
    </>
  );
}

interface FoundProps {
  place: ChatPlace;
  wanted: string;
  onFolder(path: string): void;
  onFile(path: string): void;
}

function FoundFiles({ place: { client, session }, wanted, onFolder, onFile }: FoundProps) {
  const words = useWords();
  const { value, error } = useReading(session, `files ${wanted}`, () =>
    client.request("find_files", { sessionId: session.id, query: wanted, limit: MOST_FOUND }),
  );
  if (error) return <Refusal error={error} />;
  if (!value) return <p className="muted">{words.readingPanel}</p>;
  return (
    <>
      <p className="muted" role="status">
        {words.filesFound(value.files.length)}
      </p>
      <ul className="found-files">
        {value.files.map((file) => (
          <li key={file.path}>
            <FoundRow file={file} onChoose={file.kind === "folder" ? onFolder : onFile} />
          </li>
        ))}
      </ul>
    </>
  );
}

function FoundRow({ file: { path, kind }, onChoose }: { file: FoundFile; onChoose(path: string): void }) {
  const name = kind === "folder" && !path.endsWith("/") ? `${path}/` : path;
  return (
    <button type="button" className="row-button" onClick={() => onChoose(name)}>
      <code className="row-text">{safeLine(name)}</code>
    </button>
  );
}

/** The current text of a file. It is read again after the session has changed. */
function OpenedFile({ place: { client, session }, path }: { place: ChatPlace; path: string }) {
  const words = useWords();
  const { value, error } = useReading(session, path, () =>
    client.request("view_file", { sessionId: session.id, path }),
  );
  return (
    <section className="viewed-file" aria-label={safeLine(path)}>
      <h3>
        <code>{safeLine(path)}</code> {value && <span className="muted">{words.fileSize(value.bytes)}</span>}
      </h3>
      {error && <Refusal error={error} />}
      {!value && !error && <p className="muted">{words.readingPanel}</p>}
      {value?.problem && <p className="muted">{words.fileProblems[value.problem]}</p>}
      {value?.text === "" && <p className="muted">{words.fileEmpty}</p>}
      {value?.text && <FileText text={value.text} path={path} />}
    </section>
  );
}
