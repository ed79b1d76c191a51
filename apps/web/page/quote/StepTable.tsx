import type { SwapQuote } from "@millrace/api";
import { feeText, shareText, shortAddress } from "../format.ts";
import { pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Table } from "../parts/Table.tsx";
import { TokenAmount } from "../parts/TokenAmount.tsx";
import type { KnownToken } from "../tokens.ts";
import { pathsOf } from "./routeFlow.ts";

interface StepRow {
  readonly path: number;
  readonly hop: number;
  readonly share: number;
  readonly step: SwapQuote["routePlan"][number];
}

/** The steps of a route in the order of their execution, as text. */
export function StepTable({
  quote,
  tokens,
}: {
  readonly quote: SwapQuote;
  readonly tokens: ReadonlyMap<string, KnownToken>;
}) {
  const network = useNetwork();
  const total = Number(quote.amountIn);
  const rows = pathsOf(quote.routePlan).flatMap((steps, path) =>
    steps.map(
      (step, hop): StepRow => ({
        ...{ path, hop, step, share: Number(steps[0]!.amountIn) / total },
      }),
    ),
  );
  const tokenAt = (address: string) => tokens.get(address.toLowerCase());
  return (
    <Table
      caption="Steps of the route"
      rows={rows}
      keyOf={({ path, hop }) => `${path} ${hop}`}
      columns={[
        {
          title: "Path",
          cell: ({ path, hop, share }) => (hop === 0 ? `${path + 1}: ${shareText(share)}` : ""),
        },
        {
          title: "In",
          isNumber: true,
          cell: ({ step }) => <TokenAmount token={tokenAt(step.tokenA)} units={step.amountIn} />,
        },
        {
          title: "Pool",
          cell: ({ step }) => {
            const id = step.poolId ?? step.poolAddress;
            return (
              <a href={pathTo(network.id, "pools", id)}>
                {step.dexId} {feeText(step.fee)} <span class="quiet">{shortAddress(id)}</span>
              </a>
            );
          },
        },
        {
          title: "Out",
          isNumber: true,
          cell: ({ step }) => <TokenAmount token={tokenAt(step.tokenB)} units={step.amountOut} />,
        },
      ]}
    />
  );
}
