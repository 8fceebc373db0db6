import { useSeconds } from "../app/link-state.tsx";
import { openWindow } from "../app/opened.ts";
import { fragmentOf, fromHere, goTo } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import type { Devices, OtherDevice } from "../host/devices.ts";
import { useStore } from "../store.ts";
import { Menu } from "../ui/menu.tsx";
import { attempt, tell } from "../ui/notes.ts";
import { useWords, type Words } from "../words/words.ts";

/** The hosts of this page. Empty if there is only its own. */
export function DeviceList({ devices, current }: { devices: Devices; current: string }) {
  const words = useWords();
  const others = useStore(devices.others);
  const waiting = useStore(devices.waiting);
  if (others.length === 0) return null;
  return (
    <section className="devices" aria-label={words.devices}>
      <ul>
        <li className="session-row">
          <DeviceLink
            id=""
            name={devices.own.name === undefined ? words.thisHost : safeLine(devices.own.name)}
            isChosen={current === ""}
            count={waiting.get("") ?? 0}
          >
            <Connection device={devices.own} />
          </DeviceLink>
        </li>
        {others.map((other) => (
          <li key={other.id} className="session-row">
            <DeviceLink
              id={other.id}
              name={safeLine(other.name)}
              isChosen={current === other.id}
              count={waiting.get(other.id) ?? 0}
            >
              {other.device ? <Connection device={other.device} /> : words.deviceStates[stateOf(other)]}
            </DeviceLink>
            {devices.mayAdd() && <DeviceMenu devices={devices} other={other} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface DeviceLinkProps {
  id: string;
  name: string;
  isChosen: boolean;
  count: number;
  children: React.ReactNode;
}

function DeviceLink({ id, name, isChosen, count, children }: DeviceLinkProps) {
  const words = useWords();
  return (
    <a className="session-link" href={fragmentOf({ at: "home" }, id)} aria-current={isChosen ? "true" : undefined}>
      <span className="session-title">{name}</span>
      {count > 0 && <span className="dot asking" role="img" aria-label={words.waitingCount(count)} />}
      <span className="muted">{children}</span>
    </a>
  );
}

/** The state of the connection to a host. */
function Connection({ device }: { device: Device }) {
  const words = useWords();
  const link = useStore(device.link);
  const isUnproven = useStore(device.isUnproven);
  const now = useSeconds(link.state === "waiting");
  if (isUnproven) return words.deviceStates.unproven;
  if (link.state === "waiting") return words.deviceAwaits(Math.max(0, Math.ceil((link.at - now) / 1_000)));
  return link.state === "live" ? words.deviceStates.live : words.deviceStates.connecting;
}

/** Why there is no connection, as a key of `words.deviceStates`. */
function stateOf({ problem, host, isBeginning }: OtherDevice): keyof Words["deviceStates"] {
  const { code = "" } = (problem ?? {}) as { code?: string };
  if (isBeginning) return "connecting";
  if (problem === undefined) return host === undefined ? "idle" : "unpaired";
  if (code === "RELAY_NOT_PAIRED") return "revoked";
  if (code === "WEB_TOKEN") return "refused";
  return code.includes("VERSION") ? "version" : "ended";
}

function DeviceMenu({ devices, other }: { devices: Devices; other: OtherDevice }) {
  const words = useWords();
  const { id, name, address, host } = other;
  const known = { id, name, address, host };
  const remove = async () => {
    const goOn = fromHere();
    await devices.remove(known);
    goOn({ at: "home" }, { device: "" });
    tell({ text: words.deviceRemoved(safeLine(name)) });
  };
  const hurry = () => {
    devices.hurry(id);
    // There, the person sees why it is not connected, and can enter a token or pair.
    if (!other.device) goTo({ at: "home" }, { device: id });
  };
  return (
    <Menu
      label={words.actionsFor(safeLine(name))}
      items={[
        { label: words.rename, run: () => openWindow({ window: "device", known }) },
        { label: words.deviceHurry, run: hurry },
        { label: words.deviceRemove, isDangerous: true, run: () => attempt(remove) },
      ]}
    >
      ⋯
    </Menu>
  );
}
