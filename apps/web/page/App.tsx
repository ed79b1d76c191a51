import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { goTo, type Place, pathTo, usePlace } from "./location.ts";
import { CurrentNetwork, type NetworkEntry, useNetworks } from "./networks.ts";
import { Notice } from "./parts/Notice.tsx";
import { RELOADS, reloadPage } from "./reloadPage.ts";
import { useConnection } from "./service.ts";
import { QuoteView } from "./views/QuoteView.tsx";

/** Properties of every view. */
export interface ViewProps {
  readonly place: Place;
}

type View = ComponentType<ViewProps>;

/** Views by their names in the address; all but the first are loaded on demand. */
const VIEWS: Readonly<Record<string, { readonly title: string; load: () => Promise<View> }>> = {
  quote: { title: "Quote", load: async () => QuoteView },
  tokens: {
    title: "Tokens",
    load: async () => (await import("./views/TokensView.tsx")).TokensView,
  },
  pools: { title: "Pools", load: async () => (await import("./views/PoolsView.tsx")).PoolsView },
  cycles: {
    title: "Cycles",
    load: async () => (await import("./views/CyclesView.tsx")).CyclesView,
  },
  health: {
    title: "Networks",
    load: async () => (await import("./views/HealthView.tsx")).HealthView,
  },
};

const FIRST_VIEW = "quote";

export function App() {
  const place = usePlace();
  const { data: networks, failure } = useNetworks();
  const primary = networks?.find((network) => network.primary) ?? networks?.[0];
  const network = networks?.find(({ id }) => id === place.network) ?? primary;
  const view = place.view in VIEWS ? place.view : FIRST_VIEW;
  useEffect(() => {
    if (network === undefined) return;
    if (place.network !== network.id || place.view !== view) {
      goTo(pathTo(network.id, view, "", Object.fromEntries(place.query)), true);
    }
  }, [network?.id, place.network, place.view, view]);
  useEffect(() => {
    document.title = `${VIEWS[view]!.title} – millrace`;
  }, [view]);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <Header networks={networks ?? []} network={network} view={view} />
      <main id="main" tabIndex={-1}>
        {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
        {network !== undefined && (
          <CurrentNetwork.Provider value={network}>
            <ShownView key={network.id} name={view} place={place} />
          </CurrentNetwork.Provider>
        )}
      </main>
      <footer>
        <a href="/docs">Reference of the interface</a>
        <a href="/app/assets/licences.md" target="_blank" rel="noreferrer">
          Licences
        </a>
        <span>
          Charts by <a href="https://www.tradingview.com/">TradingView</a> Lightweight Charts
        </span>
      </footer>
    </>
  );
}

function ShownView({ name, place }: ViewProps & { readonly name: string }) {
  const [shown, setShown] = useState<{ readonly name: string; readonly View: View }>(() => ({
    ...{ name: FIRST_VIEW, View: QuoteView },
  }));
  const [isLost, setIsLost] = useState(false);
  useEffect(() => {
    let isOver = false;
    let stop = () => {};
    setIsLost(false);
    VIEWS[name]!.load().then(
      (View) => !isOver && setShown({ name, View }),
      () => {
        if (isOver) return;
        setIsLost(true);
        stop = reloadPage();
      },
    );
    return () => {
      isOver = true;
      stop();
    };
  }, [name]);
  if (shown.name === name) return <shown.View place={place} />;
  return isLost ? <Notice kind="failure">{RELOADS}</Notice> : null;
}

function Header({
  networks,
  network,
  view,
}: {
  readonly networks: ReadonlyArray<NetworkEntry>;
  readonly network: NetworkEntry | undefined;
  readonly view: string;
}) {
  const id = network?.id ?? "";
  return (
    <header>
      <strong class="brand">millrace</strong>
      <nav aria-label="Views">
        {Object.entries(VIEWS).map(([name, { title }]) => (
          <a
            key={name}
            href={pathTo(id, name)}
            {...(name === view && { "aria-current": "page" as const })}
          >
            {title}
          </a>
        ))}
      </nav>
      <label>
        <span class="unseen">Network</span>
        <select
          value={id}
          onChange={({ currentTarget }) => goTo(pathTo(currentTarget.value, view))}
        >
          {networks.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
              {one.devnet === true ? " (devnet)" : ""}
              {one.ready ? "" : " – not ready"}
            </option>
          ))}
        </select>
      </label>
      <Connection />
    </header>
  );
}

const CONNECTION_TEXT = {
  idle: "Idle",
  connecting: "Connecting",
  open: "Live",
  lost: "Connection lost: trying again",
  closed: "Closed",
} as const;

function Connection() {
  const state = useConnection();
  return (
    <span class={`connection ${state}`} role="status">
      {CONNECTION_TEXT[state]}
    </span>
  );
}
