import { type Asked, createAsked } from "../../presets/composition/asked.ts";
import { createComposition } from "../../presets/composition/composition.ts";

/** The request of a run of the command in a project, and the list that its notices go to. */
export function askedIn(project: string, more: Partial<Asked> = {}): { asked: Asked; notices: string[] } {
  const notices: string[] = [];
  const notify = (notice: string) => void notices.push(notice);
  return {
    asked: createAsked({ preset: "none", by: "--preset", cwd: project, trust: false, notify, ...more }),
    notices,
  };
}

/** The composition of such a run, for sessions that do not use the host kernel. */
export function composed(asked: Asked) {
  return createComposition(asked, () => {
    throw new Error("no kernel is asked for here");
  });
}
