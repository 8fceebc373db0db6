import type { OperationContext, Operations, SessionHandle } from "@scorel/host/contract";
import type { EventOf, Session, StoredEvent } from "@scorel/kernel";
import type { SessionMeta } from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import { errors } from "./errors.ts";
import { eventIdFor } from "./names.ts";

type Params = Operations["update_info"]["params"];
type Answer = Operations["update_info"]["result"];

/** Applies the changes and stores them. They take effect with the next model request. */
export async function updateInfo(
  { sessionId, changes, messageId }: Params,
  context: OperationContext,
): Promise<Answer> {
  const handle = await context.open(sessionId);
  const { session } = handle.kernel;
  const id = eventIdFor("update_info", messageId);
  const done = id === undefined ? undefined : session.tree.get(id);
  if (done) return answer(session, done);
  const made = await make(changes, handle);
  if (Object.keys(made).length === 0) throw errors.HISTORY_NO_CHANGE();
  // The same request may have been repeated while the model was being resolved.
  const meanwhile = id === undefined ? undefined : session.tree.get(id);
  if (meanwhile) return answer(session, meanwhile);
  const options = { clientId: context.clientId, ...(id !== undefined && { id }) };
  const { id: written } = await session.append("session_info", { changes: made }, options);
  return answer(session, session.tree.get(written) as StoredEvent);
}

async function make(
  { name, model, thinkingLevel }: Params["changes"],
  handle: SessionHandle,
): Promise<Partial<SessionMeta>> {
  const chosenModel = model === undefined ? undefined : await choose(model, handle);
  // A choice made in the session overrides the option that it was opened with.
  if (thinkingLevel !== undefined && handle.workspace.thinking !== undefined) handle.workspace.thinking = thinkingLevel;
  return {
    ...(name !== undefined && { name }),
    ...(chosenModel !== undefined && { model: chosenModel, chosenModel }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
  };
}

/** Switches the model and returns its full name; throws MODEL errors. */
async function choose(name: string, { id: sessionId, kernel, workspace }: SessionHandle): Promise<string> {
  const service = kernel.find("model");
  if (!service) throw errors.HISTORY_NO_MODEL({ sessionId });
  await service.choose(name);
  const { provider, id } = service.current();
  if (workspace.model !== undefined) workspace.model = `${provider}/${id}`;
  return `${provider}/${id}`;
}

function answer(session: Session, event: StoredEvent): Answer {
  const meta = { ...(session.header.meta as SessionMeta), ...session.projection("sessionMeta") };
  return { eventId: event.id, meta, text: changesIn(event) };
}

/** Describes the settings that an event changed, for example "Model: test/m, Thinking: high". */
function changesIn(event: StoredEvent): string {
  const { name, model, thinkingLevel } = (event as EventOf<"session_info">).changes;
  const settings = { Name: name, Model: model, Thinking: thinkingLevel };
  const shown = Object.entries(settings).filter(([, value]) => value !== undefined);
  return shown.map(([label, value]) => `${label}: ${value}`).join(", ");
}
