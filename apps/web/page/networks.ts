import type { NetworkList } from "@millrace/api";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { client, type Loaded, useRequest } from "./service.ts";

export type NetworkEntry = (typeof NetworkList.Type)["result"][number];

const REFRESH_MS = 5_000;

/** The current networks of the service. */
export const useNetworks = (): Loaded<ReadonlyArray<NetworkEntry>> => {
  const { data, failure } = useRequest(
    "networks",
    () => client.http.operations.networks(),
    REFRESH_MS,
  );
  return {
    ...(data !== undefined && { data: data.result }),
    ...(failure !== undefined && { failure }),
  };
};

/** The network that the page shows. */
export const CurrentNetwork = createContext<NetworkEntry | undefined>(undefined);

export const useNetwork = (): NetworkEntry => useContext(CurrentNetwork)!;
