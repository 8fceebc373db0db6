import type { RemoteClient } from "@scorel/host/client";
import type { ThinkingLevel } from "@scorel/host/contract";
import { useEffect, useState } from "react";
import { type Command, useCommands } from "../app/commands.ts";
import { openWindow } from "../app/opened.ts";
import { useRights } from "../host/rights.ts";
import type { OpenSession } from "../host/session.ts";
import { cloneSession, compactSession, deleteSession, downloadSession } from "../sidebar/session-actions.ts";
import { useStore } from "../store.ts";
import { attempt } from "../ui/notes.ts";
import { useWords, type Words } from "../words/words.ts";
import { LEVELS, type Mode } from "./choices.tsx";
import { useStopping } from "./stopping.ts";

/** Offers commands for the shown session in the palette. */
export function useChatCommands(client: RemoteClient, session: OpenSession, title: string): void {
  const words = useWords();
  const { manage } = useRights();
  const { write } = session.rights;
  const { canStop, stop } = useStopping(client, session);
  const { model, connection } = useStore(session.status);
  const modes = useModes(client, session.id, manage && connection === "live");
  const stopping: Command = { id: "stop", label: words.stopTurn, keys: "Esc", run: stop };
  const choosing: Command = {
    id: "model",
    label: words.chooseModel,
    detail: model ?? words.noModel,
    run: () => openWindow({ window: "model", sessionId: session.id, current: model }),
  };
  useCommands(() => [
    ...(write && canStop ? [stopping] : []),
    ...(manage ? [...filing(client, { sessionId: session.id, title }, words), choosing] : []),
    ...(manage ? [...modeCommands(client, session.id, modes, words), ...levelCommands(client, session.id, words)] : []),
  ]);
}

function filing(client: RemoteClient, session: { sessionId: string; title: string }, words: Words): Command[] {
  const { sessionId, title } = session;
  const download = (format: "md" | "html" | "jsonl") => () => attempt(() => downloadSession(client, session, format));
  return [
    { id: "rename", label: words.renameTitle, run: () => openWindow({ window: "rename", sessionId, name: title }) },
    { id: "clone", label: words.clone, run: () => attempt(() => cloneSession(client, session)) },
    { id: "compact", label: words.compactNow, run: () => attempt(() => compactSession(client, session, words)) },
    { id: "md", label: words.exportAs("Markdown"), run: download("md") },
    { id: "html", label: words.exportAs("HTML"), run: download("html") },
    { id: "jsonl", label: words.exportLog, run: download("jsonl") },
    {
      id: "delete",
      label: words.moveToTrash,
      detail: title,
      run: () => attempt(() => deleteSession(client, session, words)),
    },
  ];
}

function modeCommands(client: RemoteClient, sessionId: string, modes: readonly Mode[], words: Words): Command[] {
  const set = (mode: Mode["mode"]) => () => attempt(() => client.request("set_permission", { sessionId, mode }));
  return modes
    .filter(({ unavailable }) => !unavailable)
    .map(({ mode }) => ({ id: `mode ${mode}`, label: words.modeIs(words.modes[mode] ?? mode), run: set(mode) }));
}

function levelCommands(client: RemoteClient, sessionId: string, words: Words): Command[] {
  const set = (level: ThinkingLevel) => () => attempt(() => client.request("set_thinking", { sessionId, level }));
  return LEVELS.map((level) => ({
    id: `thinking ${level}`,
    label: words.thinkingIs(words.levels[level]),
    run: set(level),
  }));
}

/** The permission modes of a session. Empty if it has none, and until the host has opened it. */
function useModes(client: RemoteClient, sessionId: string, isWanted: boolean): readonly Mode[] {
  const [modes, setModes] = useState<readonly Mode[]>([]);
  useEffect(() => {
    if (!isWanted) return;
    client.request("list_permission_modes", { sessionId }).then(
      (answer) => setModes(answer.modes),
      () => setModes([]),
    );
  }, [client, sessionId, isWanted]);
  return modes;
}
