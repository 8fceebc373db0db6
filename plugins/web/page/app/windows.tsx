import type { Device } from "../host/device.ts";
import { ProjectDialog } from "../sidebar/project-dialog.tsx";
import { RenameDialog } from "../sidebar/rename-dialog.tsx";
import { TrashDialog } from "../sidebar/trash-dialog.tsx";
import { useStore } from "../store.ts";
import { opened } from "./opened.ts";

/** The window that is open. */
export function Windows({ device }: { device: Device }) {
  const current = useStore(opened);
  const close = () => opened.set(undefined);
  switch (current?.window) {
    case "rename":
      return <RenameDialog device={device} sessionId={current.sessionId} name={current.name} onClose={close} />;
    case "trash":
      return <TrashDialog device={device} onClose={close} />;
    case "project":
      return <ProjectDialog device={device} onClose={close} />;
    default:
      return null;
  }
}
