import { useEffect, useState } from "react";
import { fromHere } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { useStore } from "../store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/problem.tsx";
import { useWords } from "../words/words.ts";
import { Directories, type Listing } from "./directories.ts";

/** A dialog to choose a directory of the host as a project. Then starts a session in it. */
export function ProjectDialog({ device, onClose }: { device: Device; onClose(): void }) {
  const words = useWords();
  const { client, sessions } = device;
  const [directories] = useState(() => new Directories(client));
  const listing = useStore(directories.listing);
  const path = useStore(directories.path);
  const problem = useStore(directories.problem);
  useEffect(() => void directories.go(), [directories]);
  const add = async ({ directory }: Listing) => {
    const goOn = fromHere();
    try {
      await client.request("register_project", { directory });
      await sessions.read();
      onClose();
      goOn({ at: "new", directory });
    } catch (thrown) {
      directories.problem.set((thrown as Error).message);
    }
  };
  return (
    <Dialog title={words.addProject} onClose={onClose}>
      <form
        className="path-form"
        onSubmit={(event) => {
          event.preventDefault();
          void directories.go(path);
        }}
      >
        <button
          type="button"
          aria-label={words.upOne}
          disabled={!listing?.parent}
          onClick={() => void directories.go(listing?.parent ?? undefined)}
        >
          ↑
        </button>
        <input
          aria-label={words.directory}
          value={path}
          onChange={(event) => directories.path.set(event.target.value)}
        />
        <button type="submit">{words.goThere}</button>
      </form>
      <Problem text={problem} />
      {listing && (
        <Listed
          listing={listing}
          onRoot={(root) => void directories.go(root)}
          onName={(name) => void directories.into(name)}
        />
      )}
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

interface ListedProps {
  listing: Listing;
  onRoot(root: string): void;
  onName(name: string): void;
}

/** Subdirectories of a directory, and the roots. */
function Listed({ listing, onRoot, onName }: ListedProps) {
  const words = useWords();
  const { directory, names, roots, more } = listing;
  const elsewhere = roots.filter((root) => root !== directory);
  return (
    <>
      {roots.length > 1 && (
        <p className="roots">
          {elsewhere.map((root) => (
            <button key={root} type="button" onClick={() => onRoot(root)}>
              {safeLine(root)}
            </button>
          ))}
        </p>
      )}
      {names.length === 0 && <p className="muted">{words.noDirectories}</p>}
      <ul className="rows directories" aria-label={words.directories}>
        {names.map((name) => (
          <li key={name}>
            <button type="button" className="row-button" onClick={() => onName(name)}>
              {safeLine(name)}
            </button>
          </li>
        ))}
      </ul>
      {more && <p className="muted">{words.moreDirectories}</p>}
    </>
  );
}
