import type { RemoteClient } from "@scorel/host/client";
import type { Operations } from "@scorel/host/contract";
import { useState } from "react";
import { useSeconds } from "../app/link-state.tsx";
import { safeLine } from "../display/safe.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

type Mode = Operations["list_permission_modes"]["result"]["modes"][number];

/** What the session does, and what it works with. */
export function StatusLine({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const words = useWords();
  const { model, context, spent, doing, branch } = useStore(session.status);
  const since = doing && "since" in doing ? doing.since : undefined;
  const now = useSeconds(since !== undefined);
  const parts = [
    model ?? words.noModel,
    context?.share === undefined ? undefined : words.context(context.share),
    spent && (spent.cost === undefined ? words.costUnknown : words.cost(spent.cost)),
    branch,
  ];
  return (
    <footer className="status">
      <span role="status">
        {doing && words.states[doing.state]}
        {since !== undefined && ` ${Math.max(0, Math.floor((now - since) / 1_000))} s`}
      </span>
      <PermissionMode client={client} session={session} />
      {parts.map((part) => part !== undefined && <span key={part}>{safeLine(part)}</span>)}
    </footer>
  );
}

/** The permission mode, to be changed. The modes are read when the list is opened. */
function PermissionMode({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const words = useWords();
  const { permission, permissionDefault } = useStore(session.status);
  const [modes, setModes] = useState<readonly Mode[]>([]);
  const current = permission ?? permissionDefault;
  if (current === undefined) return null;
  const read = () =>
    void client.request("list_permission_modes", { sessionId: session.id }).then(
      (answer) => setModes(answer.modes),
      () => {},
    );
  const set = (mode: string) =>
    void client.request("set_permission", { sessionId: session.id, mode: mode as Mode["mode"] });
  const known = modes.filter(({ unavailable }) => !unavailable);
  return (
    <select
      aria-label={words.mode}
      value={current}
      onFocus={read}
      onPointerEnter={read}
      onChange={(event) => set(event.target.value)}
    >
      {known.every(({ mode }) => mode !== current) && <option value={current}>{current}</option>}
      {known.map(({ mode, about }) => (
        <option key={mode} value={mode} title={about}>
          {mode}
        </option>
      ))}
    </select>
  );
}
