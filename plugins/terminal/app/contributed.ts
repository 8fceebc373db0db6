import type { Choice, ListedCommand } from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { keyLabel } from "@scorel/kit/terminal/key-names";
import type { Keys } from "../keys.ts";
import { ListPicker } from "../pickers/picker.ts";
import type { PickerPlace } from "../pickers/picker-parts.ts";

interface ContributedParts {
  client: Client;
  keys: Keys;
  sessionId(): string | undefined;
  /** Runs a slash command. */
  run(line: string): void;
  /** The parts of the application that pickers use; undefined before pickers are loaded. */
  place(): PickerPlace | undefined;
  show(picker: ListPicker<Choice> | undefined): void;
  attempt(work: () => Promise<unknown>): void;
}

/** Contributions of plugins to the application: slash commands with keys, and slash commands whose argument is chosen from a list. */
export class Contributed {
  private commands: readonly ListedCommand[] = [];
  private readonly parts: ContributedParts;

  constructor(parts: ContributedParts) {
    this.parts = parts;
  }

  /** Loads the commands of the shown session; none if the preset has no plugin for commands. */
  async load(): Promise<void> {
    const { client } = this.parts;
    const sessionId = this.parts.sessionId();
    if (sessionId === undefined) return;
    const commands = await client.request("list_commands", { sessionId }).then(
      (listed) => listed.commands,
      (thrown) => {
        if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
        return [];
      },
    );
    // Another session may have been entered meanwhile.
    if (sessionId === this.parts.sessionId()) this.commands = commands;
  }

  /** Runs the command that a key is bound to. If several commands want the same key, the first one gets it. */
  press(data: string): void {
    const { keys } = this.parts;
    const command = this.commands.find((each) => namesOf(each, keys).some((key) => keys.names(data, key)));
    if (command) this.open(command.name, () => this.parts.run(command.name));
  }

  /** Whether there is a command of this name. */
  has(name: string): boolean {
    return this.commands.some((each) => each.name === name);
  }

  /** Opens the list of arguments if the line is a command without arguments that has such a list; otherwise calls `otherwise`. */
  open(line: string, otherwise: () => void): void {
    const name = line.trim();
    const command = this.commands.find((each) => each.name === name && each.chooses);
    const place = this.parts.place();
    if (command && place) this.choose(command, place);
    else otherwise();
  }

  private choose({ name, description, plugin }: ListedCommand, place: PickerPlace): void {
    const { client, show, run } = this.parts;
    const sessionId = this.parts.sessionId();
    if (sessionId === undefined) return;
    const picker = new ListPicker<Choice>(place, {
      title: () => `/${name}: ${description} (${plugin})`,
      empty: place.pickerWords.nothing,
      load: async () => (await client.request("list_choices", { sessionId, name })).choices,
      row: ({ value, label = value, detail }) => ({ label, detail }),
      id: ({ value }) => value,
      preview: ({ value, preview = value }) => preview,
    });
    picker.onCancel = () => show(undefined);
    picker.onChoose = ({ value }) => {
      show(undefined);
      run(`${name} ${value}`);
    };
    show(picker);
  }
}

/** The labels of the keys that run a command. */
export function keysOf(command: ListedCommand, keys: Keys): string[] {
  return namesOf(command, keys).map(keyLabel);
}

function namesOf({ name, keys: wanted = [] }: ListedCommand, keys: Keys): readonly string[] {
  return keys.ofCommand(name, wanted);
}
