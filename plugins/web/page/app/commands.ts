import { useEffect, useRef } from "react";
import { Store, useStore } from "../store.ts";

/** Something that a person can do, and find by its name. */
export interface Command {
  /** The same for the same thing. */
  id: string;
  label: string;
  /** Where it belongs, such as the project of a session. */
  detail?: string;
  /** The key that does the same. */
  keys?: string;
  run(): void;
}

type Offer = () => readonly Command[];

const offers = new Set<Offer>();

/** Changes whenever a part of the page that offers something was drawn. */
const drawn = new Store({});

/** What can be done now, by all parts of the page that are shown, also what one of them learns later. */
export function useOffered(): Command[] {
  useStore(drawn);
  return [...offers].flatMap((offer) => offer());
}

/** Offers commands as long as the component is shown. They are made when they are looked for. */
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
