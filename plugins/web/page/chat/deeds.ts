import type { RemoteClient } from "@scorel/host/client";
import type { OpenSession, Row } from "../host/session.ts";
import { ownPictures, textOf, userContentOf } from "./content.ts";
import type { Field } from "./field.ts";
import { messageOf } from "./line.ts";
import { picturesOf } from "./pictures.ts";

/** The session that is shown, and its field. */
export interface ChatPlace {
  client: RemoteClient;
  session: OpenSession;
  field: Field;
}

/** Runs `work`, and shows an error above the field. */
export function attempt(field: Field, work: () => Promise<unknown>): Promise<void> {
  return field.during(async () => {
    try {
      await work();
    } catch (thrown) {
      field.said.set({ text: (thrown as Error).message, isProblem: true });
    }
  });
}

/** Sends the last message again. It replaces what has followed it. */
export function retry({ client, session, field }: ChatPlace): void {
  void attempt(field, () => client.request("run_command", { sessionId: session.id, name: "retry", args: "" }));
}

/** Puts a message into the field, to be changed. Only sending it goes back to before the message. */
export function edit({ field }: ChatPlace, row: Row): void {
  const content = userContentOf(row.event) ?? "";
  field.edit(row.event.parentId, textOf(content), picturesOf(ownPictures(content)));
}

/** Puts the text of a message into the field. It stays a message, even if it begins like a command. */
export function putBack(field: Field, row: Row): void {
  const content = userContentOf(row.event) ?? "";
  field.put(messageOf(textOf(content)));
  field.pictures.addAll(ownPictures(content));
}
