/** What a connection may do, and how long it is waited for. */
export interface StreamRules {
  readonly subscriptionsMax: number;
  readonly operationsPerSecond: number;
  readonly messageBytesMax: number;
  readonly bufferedBytesMax: number;
  readonly connectionsPerAddress: number;
  readonly heartbeatMs: number;
}
