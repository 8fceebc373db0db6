/** The library that drives the browser. It cannot be bundled, because it looks for files beside its own. */
export { chromium } from "playwright-core";
