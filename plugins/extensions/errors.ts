import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  EXTENSIONS_NAME: (a: { name: string; reason: string }) => `An extension cannot be named "${a.name}": ${a.reason}.`,
  EXTENSIONS_EXISTS: (a: { path: string }) =>
    `${a.path} exists already, and nothing is written over it. Choose another name, or remove it first.`,
  EXTENSIONS_FILE: (a: { path: string; reason: string }) => `${a.path} cannot be checked: ${a.reason}.`,
  EXTENSIONS_UNTRUSTED: (a: { path: string }) =>
    `${a.path} belongs to a project that is not trusted, so it is not run. Read it first, then run this again with --trust.`,
  EXTENSIONS_TSCONFIG: (a: { path: string; base: string }) =>
    `${a.path} is a file of yours, and nothing is written over it. Add this to it: "extends": ${JSON.stringify(a.base)}`,
  EXTENSIONS_NO_TYPES: (a: { path: string }) =>
    `${a.path} is missing: this command was not built with its declarations. Run npm run build, or install Scorel again.`,
  EXTENSIONS_NO_ANSWER: (a: { path: string; reason: string }) =>
    `The process that loads ${a.path} ended without an answer: ${a.reason}`,
});
