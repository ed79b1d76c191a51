import { Effect, Exit, Scope } from "effect";
import { createPublicClient, http, type PublicClient } from "viem";
import { type Devnet, type DevnetOptions, startDevnet } from "../src/index.ts";

/** A devnet for a test file or a test, with a client; it has to be closed. */
export interface OpenDevnet {
  readonly devnet: Devnet;
  readonly client: PublicClient;
  readonly close: () => Promise<void>;
}

export async function openDevnet(options: DevnetOptions): Promise<OpenDevnet> {
  const scope = await Effect.runPromise(Scope.make());
  const devnet = await Effect.runPromise(Scope.provide(startDevnet(options), scope));
  const client = createPublicClient({
    transport: http(devnet.rpcUrl, { retryCount: 0, batch: true }),
    cacheTime: 0,
  });
  return { devnet, client, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) };
}
