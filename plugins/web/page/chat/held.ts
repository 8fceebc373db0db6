import type { RemoteClient } from "@scorel/host/client";
import { useEffect, useRef } from "react";
import type { OpenSession } from "../host/session.ts";
import type { Field } from "./field.ts";
import type { Running } from "./send.ts";

interface HeldPlace {
  client: Pick<RemoteClient, "state" | "onState">;
  session: Pick<OpenSession, "status">;
  field: Field;
}

/** Sends the held message when the host is back, also if another session is shown by then. */
export function useHeld({ client, session, field }: HeldPlace, submit: (running: Running) => Promise<void>): void {
  const send = useRef(submit);
  send.current = submit;
  useEffect(() => {
    const end = followHeld({ client, session, field }, (running) => send.current(running));
    return () => void field.rest().then(end);
  }, [client, session, field]);
}

/**
 * Sends the held message of a field when the host is back. If its text was changed meanwhile, only the person sends it. Returns a function
 * that ends this.
 */
export function followHeld(
  { client, session: { status }, field }: HeldPlace,
  send: (running: Running) => Promise<void>,
): () => void {
  const look = () => {
    const held = field.held.get();
    const { connection } = status.get();
    const isBack = connection === "live" && client.state.state === "live";
    const isChanged = held !== undefined && field.get().text !== held.text;
    if (held === undefined || !(isBack || isChanged || connection === "closed")) return;
    // Before it is no longer held, so that the session is not closed in between.
    if (isBack && !isChanged) void send(held.running);
    field.held.set(undefined);
    if (field.said.get()?.isOfAway) field.said.set(undefined);
  };
  const ends = [client.onState(look), ...[status, field, field.held].map((store) => store.subscribe(look))];
  look();
  return () => {
    for (const end of ends) end();
  };
}
