import { useEffect, useRef } from "react";
import { Store, useStore } from "../store.ts";

/** Something that a person can do, and find by its name. */
export interface Command {
  /** Identifies the command when the list is made again. */
  id: string;
  label: string;
  /** Where it belongs, such as the project of a session. */
  detail?: string;
  /** The key that does the same. */
  keys?: string;
  run(): void;
}

/** The place of the chosen command in a list; that of the first one if the chosen one is not, or no longer, in it. */
export function placeOfChosen(list: readonly Pick<Command, "id">[], chosen: string | undefined): number {
  return Math.max(
    0,
    list.findIndex(({ id }) => id === chosen),
  );
}

type Offer = () => readonly Command[];

const offers = new Set<Offer>();

/** Changes whenever a component that offers commands was rendered. */
const drawn = new Store({});

/** All commands of the components that are shown, updated when they change. */
export function useOffered(): Command[] {
  useStore(drawn);
  return [...offers].flatMap((offer) => offer());
}

/** Offers commands while the component is shown. `make` is called when the list is needed. */
export function useCommands(make: Offer): void {
  const current = useRef(make);
  current.current = make;
  useEffect(() => {
    const offer = () => current.current();
    offers.add(offer);
    return () => void offers.delete(offer);
  }, []);
  useEffect(() => drawn.set({}));
}
