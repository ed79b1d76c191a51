import { openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { createPublicClient, http, type PublicClient } from "viem";
import type { DevnetOptions } from "../src/index.ts";

/** A devnet for a test file or a test, with a client; it has to be closed. */
export interface OpenDevnet extends TestDevnet {
  readonly client: PublicClient;
}

export async function openDevnet(options: DevnetOptions): Promise<OpenDevnet> {
  const opened = await openTestDevnet(options);
  const client = createPublicClient({
    transport: http(opened.devnet.rpcUrl, { retryCount: 0, batch: true }),
    cacheTime: 0,
  });
  return { ...opened, client };
}
