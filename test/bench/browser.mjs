/** The driver of the browser, which cannot be bundled: it looks for files beside itself. */
export { chromium } from "playwright-core";
