import { openWindow } from "../app/opened.ts";
import type { Device } from "../host/device.ts";
import { Menu } from "../ui/menu.tsx";
import { attempt } from "../ui/notes.ts";
import { useWords } from "../words/words.ts";
import { archiveSession, cloneSession, compactSession, deleteSession, downloadSession } from "./session-actions.ts";

interface SessionMenuProps {
  device: Device;
  sessionId: string;
  /** The title as it is shown. */
  title: string;
  isArchived: boolean;
}

/** A menu of actions on a session. */
export function SessionMenu({ device, sessionId, title, isArchived }: SessionMenuProps) {
  const words = useWords();
  const session = { sessionId, title };
  const download = (format: "md" | "html" | "jsonl") => () =>
    attempt(() => downloadSession(device.client, session, format));
  return (
    <Menu
      label={words.actionsFor(title)}
      items={[
        { label: words.rename, run: () => openWindow({ window: "rename", sessionId, name: title }) },
        { label: words.clone, run: () => attempt(() => cloneSession(device.client, session)) },
        { label: words.compactNow, run: () => attempt(() => compactSession(device.client, session, words)) },
        { label: words.exportAs("Markdown"), run: download("md") },
        { label: words.exportAs("HTML"), run: download("html") },
        { label: words.exportLog, run: download("jsonl") },
        isArchived
          ? { label: words.unarchive, run: () => attempt(() => archiveSession(device.client, session, words, false)) }
          : { label: words.archive, run: () => attempt(() => archiveSession(device.client, session, words)) },
        {
          label: words.moveToTrash,
          isDangerous: true,
          run: () => attempt(() => deleteSession(device.client, session, words)),
        },
      ]}
    >
      ⋯
    </Menu>
  );
}
