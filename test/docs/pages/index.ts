import { commands } from "./commands.ts";
import { config } from "./config.ts";
import { contributions } from "./contributions.ts";
import { errors } from "./errors.ts";
import { events } from "./events.ts";
import { examples } from "./examples.ts";
import { hooks } from "./hooks.ts";
import { operations } from "./operations.ts";
import type { Page } from "./page.ts";
import { pluginApi } from "./plugin-api.ts";
import { plugins } from "./plugins.ts";
import { presets } from "./presets.ts";
import { services } from "./services.ts";

/** The pages of docs/reference, in reading order. */
export const pages: readonly Page[] = [
  commands,
  plugins,
  presets,
  config,
  pluginApi,
  events,
  services,
  contributions,
  operations,
  hooks,
  errors,
  examples,
];
