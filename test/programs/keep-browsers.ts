import { afterAll } from "vitest";
import { keepBrowsers } from "./browsers.ts";

afterAll(keepBrowsers());
