import { nearest } from "@scorel/kit/values/nearest";
import type { CliCommand } from "./contract.ts";
import { errors } from "./errors.ts";
import { readOption } from "./option.ts";
import { actionOfOthers, meantByOthers } from "./words-of-others.ts";

/**
 * Whether one word is probably a command with a typing error rather than a prompt; with `isAlone`, also whether it is a command of another
 * tool.
 */
export function resemblesCommand(word: string, commands: readonly CliCommand[], isAlone: boolean): boolean {
  if (isAlone && meantByOthers(word, commands)) return true;
  return !/\s/.test(word) && (meantNoun(word, commands) !== undefined || meantCommands(word, commands).length > 0);
}

/** The error for an unknown noun, which names the noun that was probably meant. `takesPrompt`: the word could also be a prompt. */
export function unknownCommand(word: string, commands: readonly CliCommand[], takesPrompt = false) {
  const others = meantByOthers(word, commands);
  const meant = others ? others.commands : meantCommands(word, commands);
  const nearest = meantNoun(word, commands);
  return errors.CLI_UNKNOWN_COMMAND({ command: word, nearest, meant, reason: others?.reason, takesPrompt });
}

/** The nouns that users most often leave out before an action. */
const FIRST_NOUNS = ["session", "host"];
const MOST_MEANT = 2;

/** The commands that may be meant by an action without its noun, or by an option without its dashes. */
function meantCommands(word: string, commands: readonly CliCommand[]): string[] {
  const root = commands.find(({ noun }) => noun === "");
  const isOption = (root?.options ?? []).some((option) => readOption(option).long === `--${word}`);
  if (isOption) return [`scorel --${word}`];
  const rank = ({ noun }: CliCommand) => FIRST_NOUNS.indexOf(noun) + 1 || FIRST_NOUNS.length + 1;
  return commands
    .filter(({ noun }) => noun !== "")
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((command) => actionMeant(word, command) ?? [])
    .slice(0, MOST_MEANT);
}

/** The command line that a word means for a command: if it is its action, or another word for that. */
function actionMeant(word: string, { noun, action, otherActions = {} }: CliCommand): string | undefined {
  const words = action === word ? action : Object.hasOwn(otherActions, word) ? otherActions[word] : undefined;
  return words === undefined ? undefined : `scorel ${noun} ${words}`;
}

function meantNoun(word: string, commands: readonly CliCommand[]): string | undefined {
  const nouns = new Map<string, string>();
  for (const { noun, synonyms = [] } of commands)
    for (const each of [noun, ...synonyms]) if (each) nouns.set(each, noun);
  const near = nearest(word, nouns.keys());
  return near === undefined ? undefined : nouns.get(near);
}

/** The error for an unknown action, which names the one that was probably meant. */
export function unknownAction(noun: string, action: string | undefined, commands: readonly CliCommand[]) {
  const actions = commands.flatMap((command) => command.action ?? []);
  if (action === undefined) return errors.CLI_MISSING_ACTION({ noun, actions });
  const meant = commands.flatMap((command) => actionMeant(action, command) ?? []);
  return errors.CLI_UNKNOWN_ACTION({
    noun,
    action,
    nearest: actionOfOthers(action, actions) ?? nearest(action, actions),
    meant,
  });
}
