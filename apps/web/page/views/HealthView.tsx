import type { StreamedNetwork } from "@millrace/client";
import { useState } from "preact/hooks";
import { ageText, dateText } from "../format.ts";
import { pathTo } from "../location.ts";
import { type NetworkEntry, useNetworks } from "../networks.ts";
import { Fields } from "../parts/Fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Table } from "../parts/Table.tsx";
import { client, useRequest, useUpdates } from "../service.ts";

const REFRESH_MS = 2_000;

/** The reliability of each network: head, its age, reorganisations, pools that are left out. */
export function HealthView() {
  const { data: networks, failure } = useNetworks();
  const { data: readiness } = useRequest(
    "readiness",
    () => client.http.operations.ready(),
    REFRESH_MS,
  );
  return (
    <>
      <h1>Networks</h1>
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
      {networks?.map((network) => (
        <NetworkHealth
          key={network.id}
          network={network}
          readiness={readiness?.networks.find(({ id }) => id === network.id)}
        />
      ))}
    </>
  );
}

interface Readiness {
  readonly ready: boolean;
  readonly reason?: string;
  readonly headAgeMs: number | null;
}

function NetworkHealth({
  network,
  readiness,
}: {
  readonly network: NetworkEntry;
  readonly readiness: Readiness | undefined;
}) {
  const [head, setHead] = useState<StreamedNetwork>();
  useUpdates(network.id, () => client.networkState(network.id), setHead);
  const { history, pools } = network;
  const ageMs = readiness?.headAgeMs;
  return (
    <section aria-labelledby={`network-${network.id}`}>
      <h2 id={`network-${network.id}`}>
        <a href={pathTo(network.id, "quote")}>{network.name}</a>
        {network.devnet === true && <span class="quiet">, a devnet: nothing on it has worth</span>}
      </h2>
      <Fields
        fields={[
          ["State", network.ready ? "ready" : (readiness?.reason ?? head?.reason ?? "not ready")],
          ["Chain", String(network.chainId)],
          ["Newest block", head === undefined ? "–" : head.blockNumber],
          ["Age of that", typeof ageMs === "number" ? ageText(ageMs) : "–"],
          ["Reorganisations seen", head === undefined ? "–" : String(head.reorganisations)],
          ...(history === undefined
            ? []
            : [["History since", sinceText(history.since, history.complete)] as const]),
          ...(history?.kept === undefined ? [] : [["Kept since", keptText(history.kept)] as const]),
        ]}
      />
      {pools !== undefined && (
        <Table
          caption={`Pools of ${network.name} by DEX`}
          rows={pools}
          keyOf={({ dexId }) => dexId}
          columns={[
            { title: "DEX", cell: ({ dexId }) => dexId },
            { title: "In the market", isNumber: true, cell: ({ loaded }) => loaded },
            { title: "Waiting", isNumber: true, cell: ({ waiting }) => waiting },
            { title: "Too shallow", isNumber: true, cell: ({ tooShallow }) => tooShallow },
            {
              title: "Refused",
              cell: ({ refused }) =>
                refused.map(({ reason, pools: count }) => `${count}: ${reason}`).join("; ") || "–",
            },
          ]}
        />
      )}
    </section>
  );
}

function sinceText(since: number | null, isComplete: boolean): string {
  if (since === null) return "–";
  return `${dateText(since)}${isComplete ? "" : ", more is being read"}`;
}

type KeptHistory = NonNullable<NonNullable<NetworkEntry["history"]>["kept"]>;

function keptText({ since, complete, gaps, problem }: KeptHistory): string {
  const missing = gaps.length === 0 ? "" : `, with ${gaps.length} gaps`;
  const trouble = problem === undefined ? "" : `; nothing is written: ${problem}`;
  return `${sinceText(since, complete)}${missing}${trouble}`;
}
