import type { ErrorForm } from "../error-forms.ts";
import { code, fence, heading } from "../markdown.ts";
import type { Page } from "./page.ts";

export const errors: Page = {
  file: "errors.md",
  title: "Error codes",
  about: `Every error that Scorel makes has a stable code and a message that says what is wrong, where, and what to do next.
\`<name>\` is a placeholder. A command that fails with an error exits with the exit code below its message (2: usage and
configuration); errors without one exit with 1. Errors of tools are answers that the model reads; they do not end a command.`,
  blocks: (facts) => [
    ...section("kernel", facts.kernel.errors),
    ...section("presets", facts.loader.errors),
    ...section("plugins/kit", facts.kit.errors),
    ...facts.plugins.flatMap(({ folder, errors: forms }) => section(folder, forms)),
  ],
};

function section(folder: string, forms: readonly ErrorForm[]): string[] {
  if (forms.length === 0) return [];
  const entries = forms.flatMap((form) => [
    heading(3, code(form.code)),
    fence("text", form.message),
    form.exit === undefined || form.exit === 1 ? "" : `Exit code: ${form.exit}.`,
  ]);
  return [heading(2, packageOf(folder)), ...entries];
}

/** The name of a package in headings, which is that of its folder. */
export function packageOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}
