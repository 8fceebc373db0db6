import { type FormEvent, useState } from "react";
import { openWindow } from "../app/opened.ts";
import { goTo } from "../app/place.ts";
import type { Devices } from "../host/devices.ts";
import type { KnownDevice } from "../host/other.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/problem.tsx";
import { useWords } from "../words/words.ts";
import { flawOfLink } from "./device-link.ts";

interface DeviceDialogProps {
  devices: Devices;
  /** The device to rename; undefined to add one. */
  known: KnownDevice | undefined;
  onClose(): void;
}

/** Adds another host to the page, or renames one. */
export function DeviceDialog({ devices, known, onClose }: DeviceDialogProps) {
  const words = useWords();
  const [name, setName] = useState(known?.name ?? "");
  const [address, setAddress] = useState(known?.address ?? "");
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    if (known) {
      await devices.rename(known.id, name.trim());
      onClose();
      return;
    }
    const flaw = flawOfLink(address, location.protocol);
    if (flaw !== undefined) {
      setProblem(words.deviceFlaws[flaw]);
      return;
    }
    const device = await devices.add(name.trim(), address, token.trim());
    goTo({ at: "home" }, { device: device.id });
    // The policy that allows connections is applied when the page is loaded.
    location.reload();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save().catch((thrown) => setProblem((thrown as Error).message));
  };
  return (
    <Dialog title={known ? words.deviceRename : words.deviceAdd} onClose={onClose}>
      <form className="dialog-form" onSubmit={submit}>
        <label>
          {words.deviceName}
          <input maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        {!known && (
          <>
            <label>
              {words.deviceAddress}
              <input
                inputMode="url"
                autoCapitalize="none"
                spellCheck={false}
                placeholder="wss://build.example.org:7777"
                value={address}
                onChange={(event) => setAddress(event.target.value)}
              />
            </label>
            <label>
              {words.deviceToken}
              <input
                type="password"
                autoComplete="off"
                value={token}
                onChange={(event) => setToken(event.target.value)}
              />
            </label>
            <p className="muted">{words.deviceHelp(location.origin)}</p>
          </>
        )}
        <Problem text={problem} />
        <button
          type="submit"
          className="primary"
          disabled={name.trim() === "" || (!known && (address.trim() === "" || token.trim() === ""))}
        >
          {known ? words.rename : words.deviceAdd}
        </button>
        {!known && (
          <button type="button" onClick={() => openWindow({ window: "pair" })}>
            {words.devicePair}
          </button>
        )}
      </form>
    </Dialog>
  );
}
