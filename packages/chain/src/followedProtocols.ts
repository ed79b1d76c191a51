import { chainProtocols, protocols } from "@millrace/protocols";
import type { FollowedProtocol } from "./ChainOptions.ts";

/** Every family that there is. */
export const followedProtocols: ReadonlyArray<FollowedProtocol> = protocols.flatMap((protocol) =>
  chainProtocols.filter(({ name }) => name === protocol.name).map((chain) => ({ protocol, chain })),
);
