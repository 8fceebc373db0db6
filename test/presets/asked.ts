import { type Asked, createAsked } from "../../presets/composition/asked.ts";
import { createComposition } from "../../presets/composition/composition.ts";

/** What a run of the command in a project asks for, and the notices that it gets. */
export function askedIn(project: string, more: Partial<Asked> = {}): { asked: Asked; notices: string[] } {
  const notices: string[] = [];
  const notify = (notice: string) => void notices.push(notice);
  return {
    asked: createAsked({ preset: "none", by: "--preset", cwd: project, trust: false, notify, ...more }),
    notices,
  };
}

/** What the sessions of such a run are made of, where none asks for the kernel of the host. */
export function composed(asked: Asked) {
  return createComposition(asked, () => {
    throw new Error("no kernel is asked for here");
  });
}
