import { ModelDialog } from "../chat/model-choice.tsx";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { DeviceDialog } from "../sidebar/device-dialog.tsx";
import { PairDialog } from "../sidebar/pair-dialog.tsx";
import { ProjectDialog } from "../sidebar/project-dialog.tsx";
import { RenameDialog } from "../sidebar/rename-dialog.tsx";
import { TrashDialog } from "../sidebar/trash-dialog.tsx";
import { useStore } from "../store.ts";
import { WaitingDialog } from "../waiting/waiting-dialog.tsx";
import { Help } from "./help.tsx";
import { opened } from "./opened.ts";
import { Palette } from "./palette.tsx";

/** Shows the open dialog. */
export function Windows({ device, devices }: { device: Device; devices: Devices }) {
  const current = useStore(opened);
  const close = () => opened.set(undefined);
  switch (current?.window) {
    case "rename":
      return <RenameDialog device={device} sessionId={current.sessionId} name={current.name} onClose={close} />;
    case "trash":
      return <TrashDialog device={device} onClose={close} />;
    case "project":
      return <ProjectDialog device={device} onClose={close} />;
    case "palette":
      return <Palette device={device} devices={devices} onClose={close} />;
    case "help":
      return <Help onClose={close} />;
    case "waiting":
      return <WaitingDialog devices={devices} onClose={close} />;
    case "device":
      return <DeviceDialog devices={devices} known={current.known} onClose={close} />;
    case "pair":
      return <PairDialog devices={devices} onClose={close} />;
    case "model":
      return (
        <ModelDialog
          client={device.client}
          sessionId={current.sessionId}
          current={current.current}
          choose={(model) => device.client.request("set_model", { sessionId: current.sessionId, model })}
          onClose={close}
        />
      );
    default:
      return null;
  }
}
