/** What the plugins of a host add to the operations that this page uses. Types only. */
import type {} from "@scorel/artifacts/contract";
import type {} from "@scorel/checkpoints/contract";
import type {} from "@scorel/coding/contract";
import type {} from "@scorel/commands/contract";
import type {} from "@scorel/history/contract";
import type {} from "@scorel/inspect/contract";
import type {} from "@scorel/mentions/contract";
import type {} from "@scorel/messages/contract";
import type {} from "@scorel/permissions/contract";
import type {} from "@scorel/projects/contract";
import type {} from "@scorel/requests/contract";
import type {} from "@scorel/sandbox/contract";
import type {} from "@scorel/search/contract";
import type {} from "@scorel/skills/contract";
import type {} from "@scorel/transfer/contract";
import type {} from "@scorel/web-server/contract";
