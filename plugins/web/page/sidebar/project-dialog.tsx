import type { Operations } from "@scorel/host/contract";
import { useCallback, useEffect, useState } from "react";
import { fromHere } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/problem.tsx";
import { useWords } from "../words/words.ts";

type Listing = Operations["list_directories"]["result"];

/** A dialog to choose a directory of the host as a project. Then starts a session in it. */
export function ProjectDialog({ device, onClose }: { device: Device; onClose(): void }) {
  const words = useWords();
  const { client, sessions } = device;
  const [listing, setListing] = useState<Listing>();
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState<string>();
  const fail = useCallback((thrown: unknown) => setProblem((thrown as Error).message), []);
  const go = useCallback(
    (directory?: string) =>
      client.request("list_directories", directory === undefined ? {} : { directory }).then((answer) => {
        setListing(answer);
        setPath(answer.directory);
        setProblem(undefined);
      }, fail),
    [client, fail],
  );
  useEffect(() => void go(), [go]);
  const add = async ({ directory }: Listing) => {
    const goOn = fromHere();
    try {
      await client.request("register_project", { directory });
      await sessions.read();
      onClose();
      goOn({ at: "new", directory });
    } catch (thrown) {
      fail(thrown);
    }
  };
  return (
    <Dialog title={words.addProject} onClose={onClose}>
      <form
        className="path-form"
        onSubmit={(event) => {
          event.preventDefault();
          void go(path);
        }}
      >
        <button
          type="button"
          aria-label={words.upOne}
          disabled={!listing?.parent}
          onClick={() => void go(listing?.parent ?? undefined)}
        >
          ↑
        </button>
        <input aria-label={words.directory} value={path} onChange={(event) => setPath(event.target.value)} />
        <button type="submit">{words.goThere}</button>
      </form>
      <Problem text={problem} />
      {listing && <Directories listing={listing} onOpen={(directory) => void go(directory)} />}
      <button
        type="button"
        className="primary"
        disabled={!listing || path !== listing.directory}
        onClick={() => listing && void add(listing)}
      >
        {words.addThis}
      </button>
    </Dialog>
  );
}

/** Subdirectories of a directory, and the roots. */
function Directories({ listing, onOpen }: { listing: Listing; onOpen(directory: string): void }) {
  const words = useWords();
  const { directory, names, roots, more } = listing;
  const elsewhere = roots.filter((root) => root !== directory);
  return (
    <>
      {roots.length > 1 && (
        <p className="roots">
          {elsewhere.map((root) => (
            <button key={root} type="button" onClick={() => onOpen(root)}>
              {safeLine(root)}
            </button>
          ))}
        </p>
      )}
      {names.length === 0 && <p className="muted">{words.noDirectories}</p>}
      <ul className="rows directories" aria-label={words.directories}>
        {names.map((name) => (
          <li key={name}>
            <button
              type="button"
              className="row-button"
              onClick={() => onOpen(`${directory.replace(/\/$/, "")}/${name}`)}
            >
              {safeLine(name)}
            </button>
          </li>
        ))}
      </ul>
      {more && <p className="muted">{words.moreDirectories}</p>}
    </>
  );
}
