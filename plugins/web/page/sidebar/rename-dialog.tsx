import { useState } from "react";
import type { Device } from "../host/device.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/problem.tsx";
import { useWords } from "../words/words.ts";

interface RenameDialogProps {
  device: Device;
  sessionId: string;
  name: string;
  onClose(): void;
}

/** A dialog to rename a session. */
export function RenameDialog({ device, sessionId, name: before, onClose }: RenameDialogProps) {
  const words = useWords();
  const [name, setName] = useState(before);
  const [problem, setProblem] = useState<string>();
  const rename = async () => {
    try {
      await device.client.request("rename_session", { sessionId, name: name.trim() });
      onClose();
    } catch (thrown) {
      setProblem((thrown as Error).message);
    }
  };
  return (
    <Dialog title={words.renameTitle} onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <input
          aria-label={words.sessionName}
          maxLength={200}
          value={name}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setName(event.target.value)}
        />
        <Problem text={problem} />
        <button type="submit" className="primary" disabled={name.trim() === ""}>
          {words.rename}
        </button>
      </form>
    </Dialog>
  );
}
