import type { Skill } from "@scorel/skills/contract";
import type { Surroundings } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** The skills of a session, with the text of each as the preview. */
export function skillPicker(at: PickerPlace & Surroundings, sessionId: string): ListPicker<Skill> {
  const { client, pickerWords: words } = at;
  return new ListPicker<Skill>(at, {
    title: () => words.skillsTitle,
    empty: words.skillsEmpty,
    load: async () => (await client.request("list_skills", { sessionId })).skills,
    row: ({ name, description }) => ({ label: name, detail: description }),
    id: ({ name }) => name,
    preview: async ({ name, folder, description }) => {
      const { body } = await client.request("get_skill", { sessionId, name });
      return [{ text: folder }, { text: description }, { markdown: body }];
    },
  });
}
