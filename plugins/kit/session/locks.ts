/** A lock on a setting, as the service `workspace` has it. */
interface Lock {
  setting: string;
  preset?: string;
  place: string;
}

/** The lock on a key of the configuration, such as `permissions.mode`, or on a table around it. */
export function lockOn<L extends Lock>(setting: string, locks: readonly L[] = []): L | undefined {
  return locks.find((lock) => `${setting}.`.startsWith(`${lock.setting}.`));
}

/** Who set a lock, for messages: `the preset "team" (/home/you/team/preset.toml:4)`. */
export function lockerOf({ preset, place }: Lock): string {
  return preset === undefined ? place : `the preset "${preset}" (${place})`;
}
