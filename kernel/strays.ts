import { placeOf } from "./place.ts";

/** A kernel that runs users' own plugins. */
interface Running {
  readonly session: { readonly id: string };
  /** The files of those plugins, also of those that have stopped. */
  ownFiles(): Iterable<[plugin: string, file: string]>;
  report(plugin: string, where: string, thrown: unknown): void;
}

/** Of the whole process, as what nobody catches is. */
const running = new Set<Running>();

/** Until the answer is called, what one of its plugins throws where nobody catches it is reported to this kernel. */
export function hearStrays(kernel: Running): () => void {
  running.add(kernel);
  return () => void running.delete(kernel);
}

/** The sessions that run users' own plugins. */
export function openSessions(): string[] {
  return [...running].map(({ session }) => session.id);
}

/** Reports what nobody caught to every kernel that runs a plugin whose file its stack names; answers whether any does. */
export function reportStray(where: string, thrown: unknown): boolean {
  let reported = false;
  for (const kernel of running)
    for (const [plugin, file] of kernel.ownFiles())
      if (placeOf(thrown, file) !== undefined) {
        kernel.report(plugin, where, thrown);
        reported = true;
      }
  return reported;
}
