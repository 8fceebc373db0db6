import { PairForm } from "../app/pairing.tsx";
import type { Devices } from "../host/devices.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useWords } from "../words/words.ts";

/** A dialog to add a host that is reached through a relay. */
export function PairDialog({ devices, onClose }: { devices: Devices; onClose(): void }) {
  const words = useWords();
  return (
    <Dialog title={words.deviceAdd} onClose={onClose}>
      <PairForm devices={devices} goesOn onPaired={onClose} />
    </Dialog>
  );
}
