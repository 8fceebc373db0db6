import { Store } from "../store.ts";

/**
 * A setting of this browser, "on" or "off", shared by all tabs. The default is not stored. If storage is full or not allowed, the setting
 * lasts as long as the page.
 */
export class Kept extends Store<boolean> {
  private readonly key: string;
  private readonly isOnAtFirst: boolean;

  constructor(name: string, isOnAtFirst: boolean) {
    super(read(`scorel.${name}`) ?? isOnAtFirst);
    this.key = `scorel.${name}`;
    this.isOnAtFirst = isOnAtFirst;
    addEventListener("storage", ({ key }) => {
      if (key === this.key) super.set(read(this.key) ?? isOnAtFirst);
    });
  }

  override set(isOn: boolean): void {
    super.set(isOn);
    try {
      if (isOn === this.isOnAtFirst) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, isOn ? "on" : "off");
    } catch {
      // The setting lasts as long as the page.
    }
  }
}

function read(key: string): boolean | undefined {
  try {
    const kept = localStorage.getItem(key);
    return kept === null ? undefined : kept === "on";
  } catch {
    return undefined;
  }
}
