import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import { config } from "./config.ts";
import type { ImagesService } from "./contract.ts";

/** Prepares images for the model: upright, within the providers' limits, and replaced by text if they cannot be shown. */
export default definePlugin({
  id: "images",
  name: "Images",
  version: "0.1.0",
  provides: ["images"],
  config,

  activate(ctx) {
    let service: Promise<ImagesService> | undefined;
    const loaded = () => {
      service ??= import("./service.ts").then(({ createImages }) => createImages(ctx, ctx.config));
      return service;
    };
    ctx.provide("images", {
      show: async (...args) => (await loaded()).show(...args),
      fit: async (content, signal) =>
        content.some(({ type }) => type === "image") ? (await loaded()).fit(content, signal) : [...content],
    });
  },
});
