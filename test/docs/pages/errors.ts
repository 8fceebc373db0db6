import type { ErrorForm } from "../error-forms.ts";
import { code, fence, heading } from "../markdown.ts";
import type { Page } from "./page.ts";

export const errors: Page = {
  file: "errors.md",
  title: "Error codes",
  about: `Every error that Scorel makes has a stable code and a message that says what is wrong, where, and what to do next.
Facts of the moment stand here as \`<name>\`. A command that fails exits with the code that this page names (2: usage and
configuration), with 1 otherwise. Errors of tools are answers that the model reads; they end no command.`,
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
    form.exit === undefined || form.exit === 1 ? "" : `A command that fails with it exits with ${form.exit}.`,
  ]);
  return [heading(2, packageOf(folder)), ...entries];
}

/** The name of a package in headings, which is that of its folder. */
export function packageOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}
