import type { Device } from "../host/device.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { attempt, tell } from "../ui/notes.ts";
import type { Words } from "../words/words.ts";

/** Removes a project without sessions from the list, and offers to undo that. */
export async function removeProject(device: Device, project: ProjectRow, words: Words): Promise<void> {
  const { client, sessions } = device;
  const { id, name, directory } = project;
  await client.request("remove_project", { project: id });
  await sessions.read();
  const putBack = async () => {
    await client.request("register_project", { directory, name });
    await sessions.read();
  };
  tell({ text: words.projectRemoved(name), action: { label: words.undo, run: () => attempt(putBack) } });
}
