import { useEffect, useMemo, useState } from "react";
import { keepPictures } from "../chat/fields.ts";
import { enter, forgetToken, keepToken, keptToken } from "../host/access.ts";
import { isApart, leaveOwn, ownHost } from "../host/apart.ts";
import { Device } from "../host/device.ts";
import { listOfBrowser, listOfHost } from "../host/device-lists.ts";
import { Devices } from "../host/devices.ts";
import { isPending, unstoredLink } from "../host/pairing-link.ts";
import { answerTabs } from "../host/token-of-tabs.ts";
import { useStore } from "../store.ts";
import { useBadge } from "../waiting/attention.tsx";
import { notifyOfWaiting } from "../waiting/notifications.ts";
import { usePush } from "../waiting/push.ts";
import { useAllWaiting } from "../waiting/waiting-button.tsx";
import { useWords, WordsContext, wordsOf } from "../words/words.ts";
import { DeviceEntrance } from "./device-entrance.tsx";
import { Entrance } from "./entrance.tsx";
import { keepPage } from "./installed.ts";
import { LinkState } from "./link-state.tsx";
import { openWindow } from "./opened.ts";
import { PairingEntrance } from "./pairing-entrance.tsx";
import { deviceOf, fragmentOf, goTo, placeOf, useDevice } from "./place.ts";
import { Shell } from "./shell.tsx";
import { useSigningOut } from "./signing-out.ts";

type Stage =
  | { at: "connecting" }
  | { at: "entrance"; problem?: "refused" | "ended" | undefined }
  | { at: "pairing"; problem?: Error | undefined }
  | { at: "failed"; error: Error }
  | { at: "connected"; device: Device };

/** The whole page: gets access, connects, and shows the host. */
export function App() {
  const { language, words } = useMemo(() => wordsOf(navigator.languages), []);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <WordsContext value={words}>
      <Stages />
    </WordsContext>
  );
}

function Stages() {
  const words = useWords();
  const [stage, setStage] = useState<Stage>({ at: "connecting" });
  const connect = async (token: string) => {
    setStage({ at: "connecting" });
    setStage(await stageWith(token));
  };
  useEffect(() => {
    let isCurrent = true;
    begin().then((begun) => isCurrent && setStage(begun));
    return () => {
      isCurrent = false;
    };
  }, []);
  useEndOf(stage, setStage);
  switch (stage.at) {
    case "connecting":
      return <p className="page-note">{words.connecting}</p>;
    case "entrance":
      return (
        <Entrance
          problem={stage.problem}
          onToken={(token) => {
            keepToken(token);
            void connect(token);
          }}
        />
      );
    case "pairing":
      return (
        <PairingEntrance
          problem={stage.problem}
          onPaired={() => {
            setStage({ at: "connecting" });
            void apartStage().then(setStage);
          }}
        />
      );
    case "failed":
      return (
        <div className="page-note" role="alert">
          <p>{words.unreachable}</p>
          <p className="muted">{stage.error.message}</p>
          <button type="button" onClick={() => location.reload()}>
            {words.tryAgain}
          </button>
        </div>
      );
    case "connected":
      return <Connected device={stage.device} leave={() => setStage(withoutToken(stage.device))} />;
  }
}

/** The page, with the device that its URL names. */
function Connected({ device: own, leave }: { device: Device; leave(): void }) {
  const words = useWords();
  const devices = useMemo(() => new Devices(own, isApart ? listOfBrowser(own.host) : listOfHost(own)), [own]);
  const chosen = useDevice();
  const isKnown = useStore(devices.isKnown);
  const other = useStore(devices.others).find(({ id, relayed }) => id === chosen || relayed?.id === chosen);
  useEffect(() => devices.begin(), [devices]);
  useEffect(() => {
    if (isPending()) openWindow({ window: "pair" });
  }, []);
  useSigningOut(own);
  useEffect(() => keepPictures(own), [own]);
  useEffect(() => {
    // Only while the host at this address is proved: otherwise, another program there could have loaded the page that asks.
    if (!isApart) return answerTabs(() => (own.link.get().state === "live" ? keptToken() : undefined));
  }, [own]);
  useEffect(() => {
    if (!isApart) keepPage(own);
  }, [own]);
  useBadge(useAllWaiting(devices));
  useEffect(() => notifyOfWaiting(devices, words), [devices, words]);
  usePush(own);
  if (chosen === "") return <DevicePage device={own} devices={devices} leave={leave} />;
  if (other?.device) return <DevicePage key={chosen} device={other.device} devices={devices} />;
  if (other && !other.isBeginning) return <DeviceEntrance key={chosen} devices={devices} other={other} />;
  return (
    <p className="page-note">
      {isKnown && !other ? words.deviceUnknown : words.connecting}{" "}
      <a href={fragmentOf({ at: "home" }, "")}>{words.backToOwn}</a>
    </p>
  );
}

interface DevicePageProps {
  device: Device;
  devices: Devices;
  /** Returns to the form for the host's token. */
  leave?(): void;
}

/** Shows a device as soon as there is something to show, from the host or from what this browser has stored. */
function DevicePage({ device, devices, leave }: DevicePageProps) {
  const words = useWords();
  const isUnproven = useStore(device.isUnproven);
  const isKnown = useStore(device.sessions.isKnown);
  const since = useStore(device.awaySince);
  if (isKnown) return <Shell device={device} devices={devices} />;
  if (since === undefined) return <p className="page-note">{words.connecting}</p>;
  return (
    <div className="page-note">
      <LinkState device={device} />
      {device.id !== "" && <a href={fragmentOf({ at: "home" }, "")}>{words.backToOwn}</a>}
      {isUnproven && leave && (
        <button type="button" onClick={leave}>
          {words.enterAnother}
        </button>
      )}
    </div>
  );
}

/** Returns to the form for the token, without loading anything from whoever answers at the host's address. */
function withoutToken({ client }: Device): Stage {
  forgetToken();
  void client.close();
  return { at: "entrance" };
}

/** Returns to the entrance if the host refuses the token for good. */
function useEndOf(stage: Stage, setStage: (stage: Stage) => void) {
  useEffect(() => {
    if (stage.at !== "connected") return;
    const { link, kept } = stage.device;
    const look = () => {
      const state = link.get();
      if (state.state !== "closed") return;
      const next = ended(state.error ?? new Error("closed"));
      if (next.at === "pairing") {
        // Otherwise the page would show the same host again after a reload, with the same error.
        void leaveOwn(stage.device)
          .catch(() => {})
          .then(() => setStage(next));
        return;
      }
      // Without access, nobody should find the sessions in this browser.
      if (next.at === "entrance") kept.forget().catch(() => {});
      setStage(next);
    };
    look();
    return link.subscribe(look);
  }, [stage, setStage]);
}

/** Only one for each load of the page, since a code works only once, and effects may run twice. */
let beginning: Promise<Stage> | undefined;

function begin(): Promise<Stage> {
  beginning ??= isApart ? apartStage() : entered();
  return beginning;
}

function entered(): Promise<Stage> {
  return enter().then(
    ({ token, wasRefused, directory }) => {
      if (directory !== undefined && placeOf(location.hash).at === "home")
        goTo({ at: "new", directory }, { replace: true });
      if (token !== undefined) return stageWith(token);
      // A pairing link needs nothing from this host, so it opens the page that works without a host.
      if (isPending() && !wasRefused) {
        location.replace(`apart/${unstoredLink}`);
        return { at: "connecting" } as const;
      }
      return { at: "entrance", problem: wasRefused ? "refused" : undefined } as const;
    },
    (error) => ({ at: "failed", error }) as const,
  );
}

/** A page whose server is not a host starts with a host that this browser is paired with. */
async function apartStage(): Promise<Stage> {
  try {
    const device = await ownHost();
    // The place belonged to another device when the page started with another host.
    if (device?.host === deviceOf(location.hash)) goTo(placeOf(location.hash), { replace: true, device: "" });
    return device ? { at: "connected", device } : { at: "pairing" };
  } catch (thrown) {
    return { at: "failed", error: thrown as Error };
  }
}

async function stageWith(token: string): Promise<Stage> {
  try {
    return { at: "connected", device: await Device.connect(token) };
  } catch (thrown) {
    return ended(thrown as Error);
  }
}

function ended(error: Error): Stage {
  const { code } = error as { code?: string };
  if (isApart && code === "RELAY_NOT_PAIRED") return { at: "pairing", problem: error };
  if (code !== "WEB_TOKEN") return { at: "failed", error };
  forgetToken();
  return { at: "entrance", problem: "ended" };
}
